import { setImmediate } from "node:timers/promises";
import type { FileLimits } from "../options.ts";

/** The limits of one search, and how much of them is used. */
export interface Budget {
  /** Counts a file and its bytes. */
  readonly spend: (bytes: number) => void;
  /** The reason to stop the search, if any. Lets other tasks run meanwhile. Throws the reason of an aborted signal. */
  readonly over: () => Promise<string | undefined>;
}

// The longest time that other tasks wait for a search, in milliseconds.
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
      if (seen > files) return `read ${files} files`;
      if (read > searched) return `read ${searched} bytes`;
      return now - began > search_ms ? `took ${search_ms} ms` : undefined;
    },
  };
}
