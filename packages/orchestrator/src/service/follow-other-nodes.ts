import { messageOf } from "@bylaw/kernel";
import { isChainBroken, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { Log } from "../observe/logger.ts";
import { isStoreFailure } from "./store-health.ts";

/** How long a node that was told of events of others waits for its own writes to bring them. */
const FOLLOW_MS = 50;

/** Reads what other nodes wrote soon after, so that a node that was not asked for long need not read it all when it is. */
export async function followOtherNodes(store: Store, run: Run, log: Log): Promise<() => void> {
  let told = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (told <= run.head) return;
    run.catchUp().catch((error: unknown) => {
      if (!isChainBroken(error) && !isStoreFailure(error))
        log.warn({ err: messageOf(error) }, "cannot read new events of the log");
    });
  };
  const stop = await store.watch((name, head) => {
    if (name !== run.run) return;
    told = head;
    timer ??= setTimeout(look, FOLLOW_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
