import { NO_HEAD, followChain, isChainBroken, type LogReader } from "@bylaw/log";

/** Follows the chain of one log. */
export interface ChainCheck {
  /** Verifies what was recorded since the last call. Returns whether the log was changed. */
  broken(): Promise<boolean>;
}

const PAGE = 1_000;
/** How many pages one check reads, so that a long log does not delay an export. The next check goes on from there. */
const PAGES = 50;

/** Begins to follow the chain of a log, from its first event. */
export function followLog(log: LogReader): ChainCheck {
  let head = NO_HEAD;
  let isBroken = false;
  return {
    async broken() {
      if (isBroken) return true;
      try {
        for (let page = 0; page < PAGES; page += 1) {
          const events = await log.events(head.sequence, PAGE);
          head = followChain(log.run, head, events);
          if (events.length < PAGE) break;
        }
      } catch (error) {
        if (!isChainBroken(error)) throw error;
        isBroken = true;
      }
      return isBroken;
    },
  };
}
