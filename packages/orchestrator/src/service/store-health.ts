import { messageOf, type BylawError } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { faultOf, type Log } from "../observe/log.ts";

/** How often a lasting cause is logged, in milliseconds. */
const TOLD_MS = 60_000;
/** How many causes are distinguished. */
const CAUSES = 100;
/** Milliseconds after a write in which a store needs no probe. */
const FRESH_MS = 1_000;
/** Milliseconds after which a probed store counts as not ready. */
const TIMEOUT_MS = 2_000;
/** How long the probe stays in the store, in milliseconds. */
const KEPT_MS = 60_000;

const FAILURES: ReadonlySet<string> = new Set([
  "BYLAW_STORE_BUSY",
  "BYLAW_STORE_FAILED",
  "BYLAW_STORE_UNAVAILABLE",
  "BYLAW_STORE_UNKNOWN_OUTCOME",
  "BYLAW_STORE_UNREACHABLE",
]);

/**
 * Whether an error means that the store failed. {@link StoreHealth} logs it, so others need not. Compares by shape, because a store may use
 * another copy of the class.
 */
export const isStoreFailure = (error: unknown): error is BylawError =>
  error instanceof Error && "code" in error && FAILURES.has(String(error.code));

/** Watches the answers of a store: logs its failures, and knows whether it can write. */
export class StoreHealth {
  /** The watched store. */
  readonly store: Store;
  readonly #run: string;
  readonly #log: Log;
  readonly #lastLogged = new Map<string, { at: number; left_out: number }>();
  #written = -Infinity;
  #asked = -Infinity;
  #known = true;
  #probing: Promise<boolean> | undefined;

  constructor(store: Store, { run, log }: { readonly run: string; readonly log: Log }) {
    this.#run = run;
    this.#log = log;
    this.store = {
      commit: (commit) => this.#seen(store.commit(commit), { writes: true }),
      claim: (request) => this.#seen(store.claim(request)),
      put: (document) => this.#seen(store.put(document), { writes: true }),
      get: (kind, id) => this.#seen(store.get(kind, id)),
      events: (name, after, limit) => this.#seen(store.events(name, after, limit)),
      watch: (onHead) => this.#seen(store.watch(onHead)),
      sweep: (event) => this.#seen(store.sweep(event)),
      close: () => store.close(),
    };
  }

  /** Whether the store can commit: it has just done so, or a probe succeeds. Probes at most once a second. */
  async canCommit(): Promise<boolean> {
    const at = performance.now();
    if (at - this.#written < FRESH_MS) return true;
    if (this.#probing === undefined && at - this.#asked < FRESH_MS) return this.#known;
    this.#asked = at;
    this.#known = await inTime((this.#probing ??= this.#probe()));
    return this.#known;
  }

  #seen<T>(answer: Promise<T>, { writes = false } = {}): Promise<T> {
    answer.then(
      () => {
        if (writes) this.#written = performance.now();
      },
      (error: unknown) => {
        if (!isStoreFailure(error)) return;
        if (writes) this.#written = -Infinity;
        this.#failed(error);
      },
    );
    return answer;
  }

  #failed(error: BylawError): void {
    // The text in brackets comes from the engine, and varies.
    const cause = `${error.code} ${messageOf(error).replace(/ \(.*$/, "")}`;
    const before = this.#lastLogged.get(cause);
    const at = performance.now();
    if (before !== undefined && at - before.at < TOLD_MS) {
      before.left_out += 1;
      return;
    }
    if (this.#lastLogged.size >= CAUSES) this.#lastLogged.clear();
    this.#lastLogged.set(cause, { at, left_out: 0 });
    const { left_out = 0 } = before ?? {};
    this.#log.error({ ...faultOf(error), ...(left_out > 0 && { left_out }) }, "the store fails");
  }

  async #probe(): Promise<boolean> {
    const expires_at = new Date(Date.now() + KEPT_MS).toISOString();
    try {
      await this.store.put({ kind: "bylaw/probe", id: this.#run, value: "ready", expires_at });
      return true;
    } catch {
      return false;
    } finally {
      this.#probing = undefined;
    }
  }
}

async function inTime(answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
