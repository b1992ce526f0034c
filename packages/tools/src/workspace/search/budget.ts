import { setImmediate } from "node:timers/promises";
import type { FileLimits } from "../options.ts";

/** What one search may take, and whether it has. */
export interface Budget {
  /** Counts a file and its bytes. */
  readonly spend: (bytes: number) => void;
  /** Why the search stops, if it does. Lets others work meanwhile; throws the reason of an aborted signal. */
  readonly over: () => Promise<string | undefined>;
}

// As long as others may wait for a search, in milliseconds.
const TURN_MS = 20;

export function budgetOf(
  { files, searched, search_ms }: FileLimits,
  signal: AbortSignal | undefined,
): Budget {
  const began = performance.now();
  let turn = began;
  let [seen, read] = [0, 0];
  return {
    spend(bytes) {
      seen += 1;
      read += bytes;
    },
    async over() {
      const now = performance.now();
      if (now - turn > TURN_MS) {
        await setImmediate();
        turn = performance.now();
      }
      signal?.throwIfAborted();
      if (seen > files) return `looked at ${files} files`;
      if (read > searched) return `read ${searched} bytes`;
      return now - began > search_ms ? `took ${search_ms} ms` : undefined;
    },
  };
}
