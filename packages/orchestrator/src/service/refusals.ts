import type { Run } from "@bylaw/log";
import { messageOf, present } from "@bylaw/kernel";
import type { Refusal } from "../auth/authenticate.ts";
import { ACCESS_REFUSED } from "./events.ts";
import type { Log, RefusedRequest } from "./service.ts";

/** Puts on record who was not let in, at most so many in a second: whoever asks in vain must not fill the log. */
export interface Refusals {
  add(refusal: Refusal, request: RefusedRequest): Promise<void>;
}

interface RefusalTerms {
  readonly run: Run;
  readonly per_second: number;
  /** Milliseconds since 1970. */
  readonly time: () => number;
  readonly log: Log;
  readonly onRefused: (code: string) => void;
}

export function createRefusals({ run, per_second, time, log, onRefused }: RefusalTerms): Refusals {
  const most = Math.max(1, per_second);
  let left = most;
  let last = time();
  let unrecorded = 0;

  function mayRecord(): boolean {
    const at = time();
    left = Math.min(most, left + (Math.max(0, at - last) / 1_000) * per_second);
    last = at;
    if (per_second === 0 || left < 1) return false;
    left -= 1;
    return true;
  }

  return {
    async add({ code, status, credential, agent }, { route, task, tool }) {
      onRefused(code);
      log.warn({ code, status, route: route.path, method: route.method, shown: credential, agent }, "a request was refused");
      if (!mayRecord()) {
        unrecorded += 1;
        return;
      }
      const missed = unrecorded;
      unrecorded = 0;
      const told = present({ agent, task, tool, unrecorded: missed === 0 ? undefined : missed });
      const details = { code, status, method: route.method.toUpperCase(), route: route.path, credential, ...told };
      try {
        // Of an agent whose token is good the log knows the name; every other name is only claimed.
        await run.record([{ event_type: ACCESS_REFUSED, agent_id: agent ?? null, task_id: null, details }]);
      } catch (error) {
        unrecorded += missed + 1;
        // It is refused whether or not it is on record.
        log.error({ error: messageOf(error) }, "a refusal could not be put on record");
      }
    },
  };
}
