import { COMPLETED } from "@bylaw/contract";
import { isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";

/** Where the requests of each task stand that were held back. What they hand in may be large, and stays in the store. */
export interface BlockedRequests {
  /** How many are known. */
  readonly size: number;
  add(event: LogEvent): void;
  /** Those of a task, the last ones first, of which one of that time comes before all others and those before it follow. */
  of(task: string, at: string): AsyncGenerator<LogEvent>;
}

interface Held {
  readonly sequence: number;
  readonly at: number;
}

/** A request that a gate was opened by. */
interface Opening extends Held {
  /** The next one about the same opens nothing; empty where it does. */
  readonly about: string;
  /** What was held back until then. */
  readonly before: readonly Held[];
}

interface OfTask {
  last: readonly Held[];
  /** The last one of each gate, whatever was asked for since. */
  openings: ReadonlyMap<string, Opening>;
}

/** How many requests are looked at for what a gate is about. */
const LOOKED_AT = 200;

export function createBlockedRequests(store: Pick<Store, "events">, run: string): BlockedRequests {
  const tasks = new Map<string, OfTask>();

  function hold(of: OfTask, { sequence, timestamp, details }: LogEvent): void {
    const held: Held = { sequence, at: Date.parse(timestamp) };
    const votes = against(details);
    if (votes.some(({ code }) => code === "gate_timed_out")) of.openings = anew(of.openings);
    const [only, ...others] = votes;
    if (only?.["code"] === "gate_pending" && others.length === 0) {
      const gate = String(only["rule"]);
      const about = JSON.stringify([
        details["to"] ?? null,
        only["reason"] ?? null,
        decisionOf(details)["policy"] ?? null,
      ]);
      if (of.openings.get(gate)?.about !== about)
        of.openings = new Map(of.openings).set(gate, { ...held, about, before: of.last });
    }
    of.last = [...of.last.slice(1 - LOOKED_AT), held];
  }

  return {
    get size() {
      return [...tasks.values()].reduce((count, { last }) => count + last.length, 0);
    },
    add(event) {
      const { event_type, task_id: task, details } = event;
      if (task === null) return;
      const of = tasks.get(task) ?? { last: [], openings: new Map() };
      if (event_type === "transition_blocked") tasks.set(task, of);
      switch (event_type) {
        case "transition_blocked":
          hold(of, event);
          return;
        case "phase_entered":
          if (details["to"] === COMPLETED) tasks.delete(task);
          of.openings = new Map();
          return;
        case "gate_closed":
          of.openings = anew(of.openings);
          return;
        case "gate_decided":
          if (details["verdict"] === "rejected") of.openings = anew(of.openings);
      }
    },
    async *of(task, at) {
      const { last, openings } = tasks.get(task) ?? {
        last: [],
        openings: new Map<string, Opening>(),
      };
      const time = Date.parse(at);
      const opening = [...openings.values()].find((one) => one.at === time);
      const index = last.findLastIndex((one) => one.at === time);
      // However often the agent asks for something else: the request that opened the gate is found at once.
      const order =
        opening === undefined
          ? last.slice(0, index === -1 ? undefined : index + 1)
          : [...opening.before, opening];
      for (const { sequence } of order.toReversed().slice(0, LOOKED_AT))
        yield* await store.events(run, sequence - 1, 1);
    },
  };
}

// A gate that is not open any more is opened by the same request once more.
const anew = (openings: ReadonlyMap<string, Opening>): ReadonlyMap<string, Opening> =>
  new Map([...openings].map(([gate, opening]) => [gate, { ...opening, about: "" }]));

const decisionOf = ({ decision = null }: JsonObject): JsonObject =>
  isJsonObject(decision) ? decision : {};

/** The votes that hold a request back. */
function against(details: JsonObject): readonly JsonObject[] {
  const { votes = [] } = decisionOf(details);
  if (!Array.isArray(votes)) return [];
  return votes
    .filter(isJsonObject)
    .filter(
      ({ effect, severity, shadow }) =>
        effect !== "allow" && severity !== "warning" && shadow !== true,
    );
}
