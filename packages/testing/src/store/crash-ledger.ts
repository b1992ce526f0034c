import type { LogEvent } from "@bylaw/kernel";
import type { Store, StoredDocument } from "@bylaw/store";
import { chainFaults } from "./chain.ts";
import type { Acknowledged, Tried } from "./crash-lines.ts";

const PAGE = 5_000;

/** Records what writers tried and what was acknowledged, and compares it with a store. */
export class Ledger {
  readonly #runs: readonly string[];
  readonly #tried = new Map<string, Tried>();
  readonly #acknowledged = new Map<string, Acknowledged>();
  /** Acknowledged since the last check. */
  readonly #unproven = new Map<string, Acknowledged>();
  /** Tried since the last check. */
  readonly #undecided = new Set<string>();
  /** The events in the store, by operation. */
  readonly #operations = new Map<string, LogEvent[]>();
  readonly #claims = new Map<string, LogEvent>();
  /** The last event that was read of each run. */
  readonly #heads = new Map<string, LogEvent>();
  #count = 0;
  #events = 0;

  /** Knows `runs` from the beginning. A second ledger with the same lines reads everything again. */
  constructor(runs: readonly string[]) {
    this.#runs = runs;
  }

  get acknowledged(): number {
    return this.#count;
  }

  /** The number of events that were read, and of writes among them that were never acknowledged. */
  get found(): { readonly events: number; readonly unacknowledged: number } {
    const untold = [...this.#operations.keys()].filter((op) => !this.#acknowledged.has(op));
    return { events: this.#events, unacknowledged: untold.length };
  }

  note(line: Tried | Acknowledged): void {
    if ("tried" in line) {
      this.#tried.set(line.tried, line);
      this.#undecided.add(line.tried);
      return;
    }
    this.#count += 1;
    const key = "claimed" in line ? `claim ${line.claimed}` : line.acknowledged;
    if (this.#acknowledged.has(key)) this.#unproven.set(`${key}, acknowledged twice`, line);
    this.#acknowledged.set(key, line);
    this.#unproven.set(key, line);
  }

  /** Reads what is new in the store. Returns the faults. */
  async check(store: Store): Promise<readonly string[]> {
    const faults = [...(await this.#readAll(store))];
    for (const [key, line] of this.#unproven) {
      if (!this.#isKept(key, line))
        faults.push(`${key}: acknowledged at ${line.run} ${line.first}, but missing`);
    }
    this.#unproven.clear();
    for (const op of this.#undecided) {
      const document = await store.get("crash_op", op);
      // A server may still complete the write of a killed writer. Whoever sees its document must also see its events.
      if (!this.#operations.has(op) && document !== undefined)
        faults.push(...(await this.#readAll(store)));
      const fault = this.#partOf(op, document);
      if (fault !== undefined) faults.push(fault);
    }
    this.#undecided.clear();
    return faults;
  }

  async #readAll(store: Store): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const run of this.#runs) faults.push(...(await this.#readOn(store, run)));
    return faults;
  }

  async #readOn(store: Store, run: string): Promise<readonly string[]> {
    const faults: string[] = [];
    for (;;) {
      const last = this.#heads.get(run);
      const page = await store.events(run, last?.sequence ?? 0, PAGE);
      if (page.length === 0) return faults;
      faults.push(...(await chainFaults(page, last)).map((fault) => `${run}: ${fault}`));
      for (const event of page) {
        const { event_type, details, task_id } = event;
        this.#events += 1;
        if (event_type === "task_claimed") {
          if (this.#claims.has(task_id ?? "")) faults.push(`${run}: task ${task_id} claimed twice`);
          this.#claims.set(task_id ?? "", event);
        }
        if (event_type !== "crash_op") continue;
        const op = String(details["op"]);
        this.#operations.set(op, [...(this.#operations.get(op) ?? []), event]);
      }
      this.#heads.set(run, page.at(-1) as LogEvent);
    }
  }

  /** Why an operation is incomplete: it must be whole and in one place, with its document, or missing completely. */
  #partOf(op: string, document: StoredDocument | undefined): string | undefined {
    const { count = 0 } = this.#tried.get(op) ?? {};
    const at = this.#operations.get(op) ?? [];
    if (at.length === 0)
      return document === undefined ? undefined : `${op}: a document without its events`;
    const inOrder = at.every(
      ({ sequence, details }, index) =>
        sequence === (at[0]?.sequence ?? 0) + index && details["index"] === index + 1,
    );
    if (at.length !== count || !inOrder)
      return `${op}: ${at.length} of ${count} events, at ${at.map(({ sequence }) => sequence).join(", ")}`;
    if (document?.value !== op || document.version !== 1)
      return `${op}: events without their document`;
    return undefined;
  }

  #isKept(key: string, line: Acknowledged): boolean {
    const claim = "claimed" in line ? this.#claims.get(line.claimed) : undefined;
    const claimed = claim === undefined ? [] : [claim];
    const at = "claimed" in line ? claimed : (this.#operations.get(key) ?? []);
    const hashes = at.map(({ hash }) => hash).join();
    return at[0]?.sequence === line.first && hashes === line.hashes.join();
  }
}
