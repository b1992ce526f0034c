import type { LogEvent } from "@bylaw/kernel";
import type { Store, StoredDocument } from "@bylaw/store";
import { chainFaults } from "./chain.ts";
import type { Acknowledged, Tried } from "./crash-lines.ts";

const PAGE = 5_000;

/** What writers tried and what was acknowledged to them, held against what a store has. */
export interface Ledger {
  readonly acknowledged: number;
  readonly note: (line: Tried | Acknowledged) => void;
  /** Reads what is new in the store. Returns what does not hold. */
  readonly check: (store: Store) => Promise<readonly string[]>;
  /** How many events were read, and how many writes among them that nobody was told of. */
  readonly found: () => { readonly events: number; readonly unacknowledged: number };
}

/** One that knows `runs` from the beginning; a second one over the same lines reads everything once more. */
export function createLedger(runs: readonly string[]): Ledger {
  const tried = new Map<string, Tried>();
  const told = new Map<string, Acknowledged>();
  const unproven = new Map<string, Acknowledged>();
  const undecided = new Set<string>();
  const places = new Map<string, LogEvent[]>();
  const claims = new Map<string, LogEvent>();
  const heads = new Map<string, LogEvent>();
  let acknowledged = 0;
  let events = 0;

  function note(line: Tried | Acknowledged): void {
    if ("tried" in line) {
      tried.set(line.tried, line);
      undecided.add(line.tried);
      return;
    }
    acknowledged += 1;
    const key = "claimed" in line ? `claim ${line.claimed}` : line.acknowledged;
    if (told.has(key)) unproven.set(`${key}, acknowledged twice`, line);
    told.set(key, line);
    unproven.set(key, line);
  }

  async function readOn(store: Store, run: string): Promise<readonly string[]> {
    const faults: string[] = [];
    for (;;) {
      const last = heads.get(run);
      const page = await store.events(run, last?.sequence ?? 0, PAGE);
      if (page.length === 0) return faults;
      faults.push(...(await chainFaults(page, last)).map((fault) => `${run}: ${fault}`));
      for (const event of page) {
        const { event_type, details, task_id } = event;
        events += 1;
        if (event_type === "task_claimed") {
          if (claims.has(task_id ?? "")) faults.push(`${run}: task ${task_id} claimed twice`);
          claims.set(task_id ?? "", event);
        }
        if (event_type !== "crash_op") continue;
        const op = String(details["op"]);
        places.set(op, [...(places.get(op) ?? []), event]);
      }
      heads.set(run, page.at(-1) as LogEvent);
    }
  }

  async function readAll(store: Store): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const run of runs) faults.push(...(await readOn(store, run)));
    return faults;
  }

  // Whole and in one place, or not at all; its document with it.
  function whole(op: string, document: StoredDocument | undefined): string | undefined {
    const { count = 0 } = tried.get(op) ?? {};
    const at = places.get(op) ?? [];
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

  function kept(key: string, line: Acknowledged): boolean {
    const claim = "claimed" in line ? claims.get(line.claimed) : undefined;
    const at = "claimed" in line ? (claim === undefined ? [] : [claim]) : (places.get(key) ?? []);
    return (
      at[0]?.sequence === line.first && at.map(({ hash }) => hash).join() === line.hashes.join()
    );
  }

  return {
    get acknowledged() {
      return acknowledged;
    },
    note,
    async check(store) {
      const faults = [...(await readAll(store))];
      for (const [key, line] of unproven) {
        if (!kept(key, line))
          faults.push(`${key}: acknowledged at ${line.run} ${line.first}, and not there`);
      }
      unproven.clear();
      for (const op of undecided) {
        const document = await store.get("crash_op", op);
        // A server may still write what a killed writer had sent. Whoever has seen the document of that sees its events from then on.
        if (!places.has(op) && document !== undefined) faults.push(...(await readAll(store)));
        const fault = whole(op, document);
        if (fault !== undefined) faults.push(fault);
      }
      undecided.clear();
      return faults;
    },
    found: () => ({
      events,
      unacknowledged: [...places.keys()].filter((op) => !told.has(op)).length,
    }),
  };
}
