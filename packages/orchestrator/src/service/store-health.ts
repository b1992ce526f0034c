import type { Log } from "../observe/logger.ts";
import { messageOf, type BylawError } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { faultOf } from "../observe/fault.ts";

/** A cause that lasts is told once in so many milliseconds. */
const TOLD_MS = 60_000;
/** So many causes at most are known apart. */
const CAUSES = 100;
/** What is known to have been written so recently needs no probe. */
const FRESH_MS = 1_000;
/** A store that takes longer is none that anybody should be sent to. */
const PATIENCE_MS = 2_000;
/** How long the probe stays in the store. */
const KEPT_MS = 60_000;

const FAILURES: ReadonlySet<string> = new Set([
  "BYLAW_STORE_BUSY",
  "BYLAW_STORE_FAILED",
  "BYLAW_STORE_UNAVAILABLE",
  "BYLAW_STORE_UNKNOWN_OUTCOME",
  "BYLAW_STORE_UNREACHABLE",
]);

/** Whether an error says that the store fails, which is told by who watches it and nowhere else. By its shape: the store may be another's. */
export const isStoreFailure = (error: unknown): error is BylawError =>
  error instanceof Error && "code" in error && FAILURES.has(String(error.code));

/** Whether a store can write, and what is said where it cannot. */
export interface StoreHealth {
  /** The store, of which it is seen what it answers. */
  readonly store: Store;
  /** Whether it can commit: it has just done so, or a probe is written now. Whoever asks often has the store asked once a second. */
  readonly canCommit: () => Promise<boolean>;
}

interface HealthTerms {
  readonly store: Store;
  readonly run: string;
  readonly log: Log;
}

export function createStoreHealth({ store, run, log }: HealthTerms): StoreHealth {
  const told = new Map<string, { at: number; left_out: number }>();
  let written = -Infinity;
  let asked = -Infinity;
  let known = true;
  let probing: Promise<boolean> | undefined;

  function failed(error: unknown): void {
    if (!isStoreFailure(error)) return;
    // What stands in brackets is how the engine puts it, now this way and now that.
    const cause = `${error.code} ${messageOf(error).replace(/ \(.*$/, "")}`;
    const before = told.get(cause);
    const at = performance.now();
    if (before !== undefined && at - before.at < TOLD_MS) {
      before.left_out += 1;
      return;
    }
    if (told.size >= CAUSES) told.clear();
    told.set(cause, { at, left_out: 0 });
    const { left_out = 0 } = before ?? {};
    log.error({ ...faultOf(error), ...(left_out > 0 && { left_out }) }, "the store fails");
  }

  function seen<T>(answer: Promise<T>, { writes = false } = {}): Promise<T> {
    answer.then(
      () => {
        if (writes) written = performance.now();
      },
      (error: unknown) => {
        if (writes && isStoreFailure(error)) written = -Infinity;
        failed(error);
      },
    );
    return answer;
  }

  const watched: Store = {
    commit: (commit) => seen(store.commit(commit), { writes: true }),
    claim: (request) => seen(store.claim(request)),
    put: (document) => seen(store.put(document), { writes: true }),
    get: (kind, id) => seen(store.get(kind, id)),
    events: (name, after, limit) => seen(store.events(name, after, limit)),
    watch: (onHead) => seen(store.watch(onHead)),
    sweep: (event) => seen(store.sweep(event)),
    close: () => store.close(),
  };

  async function probe(): Promise<boolean> {
    const expires_at = new Date(Date.now() + KEPT_MS).toISOString();
    try {
      await watched.put({ kind: "bylaw/probe", id: run, value: "ready", expires_at });
      return true;
    } catch {
      return false;
    } finally {
      probing = undefined;
    }
  }

  return {
    store: watched,
    async canCommit() {
      const at = performance.now();
      if (at - written < FRESH_MS) return true;
      if (probing === undefined && at - asked < FRESH_MS) return known;
      asked = at;
      known = await inTime((probing ??= probe()));
      return known;
    },
  };
}

async function inTime(answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
