import type { LogEvent } from "@bylaw/kernel";
import { createLogVerifier, formatEventLine, type StoreReader } from "@bylaw/log";
import type { Ledger } from "./ledger.ts";

/** The phases from which a task may enter each phase. */
const BEFORE: Readonly<Record<string, string | undefined>> = {
  PLAN: undefined,
  BUILD: "PLAN",
  REVIEW: "BUILD",
  "@completed": "REVIEW",
};
/** Event types that only the agent with the task may have on record. */
const OF_HOLDER: ReadonlySet<string> = new Set(["tool_allowed", "phase_entered", "task_renewed"]);
const ENDS_CLAIM: ReadonlySet<string> = new Set(["task_released", "task_failed", "task_finished"]);
/** The service takes the task from a lost agent, under its own fence. */
const TAKES_AWAY: ReadonlySet<string> = new Set(["task_lapsed", "task_escalated"]);
const PAGE = 2_000;

interface TaskState {
  holder?: { readonly agent: string; readonly fence: number } | undefined;
  fence: number;
  phase?: string;
}

/** Reads a log as it grows, and compares it with what clients were told. */
export class LogCheck {
  readonly #ledger: Ledger;
  readonly #verifier = createLogVerifier({ chained: true });
  readonly #tasks = new Map<string, TaskState>();
  readonly #results = new Set<string>();
  // An answer may come one step after its event, if the request was repeated.
  #before: ReadonlySet<string> = new Set();
  readonly #finished: string[] = [];
  #head = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The sequence of the last event that was read. */
  get head(): number {
    return this.#head;
  }

  /** The tasks that were finished since the last call. */
  takeFinished(): readonly string[] {
    return this.#finished.splice(0);
  }

  /** Reads new events, and reports every acknowledged action that is not on record. */
  async read(
    store: Pick<StoreReader, "events">,
    run: string,
    acknowledged: Iterable<string>,
  ): Promise<void> {
    const recorded = new Set<string>();
    for (
      let page = await store.events(run, this.#head, PAGE);
      page.length > 0;
      page = await store.events(run, this.#head, PAGE)
    ) {
      for (const event of page) {
        this.#follow(event);
        recorded.add(nameOf(event));
      }
    }
    for (const what of acknowledged)
      if (!recorded.has(what) && !this.#before.has(what))
        this.#ledger.fault(`Acknowledged, but not in the log: ${what}`);
    this.#before = recorded;
  }

  #follow(event: LogEvent): void {
    const { sequence, event_type, agent_id, task_id, details } = event;
    if (sequence !== this.#head + 1) this.#ledger.fault(`Event ${sequence} follows ${this.#head}`);
    this.#head = sequence;
    for (const { rule, severity, message } of this.#verifier.line(formatEventLine(event)))
      if (severity === "error") this.#ledger.fault(`Event ${sequence}: ${rule} ${message}`);
    if (event_type === "tool_result") {
      const id = String(details["id"]);
      if (this.#results.has(id)) this.#ledger.fault(`Event ${sequence}: a second result of ${id}`);
      this.#results.add(id);
    }
    if (event_type === "tool_allowed" && JSON.stringify(details["args"]).includes("forbidden"))
      this.#ledger.fault(
        `Event ${sequence} allows what the contract forbids: ${JSON.stringify(details["args"])}`,
      );
    if (task_id !== null) this.#followTask(task_id, event, agent_id);
  }

  #followTask(
    task: string,
    { sequence, event_type, details }: LogEvent,
    agent: string | null,
  ): void {
    const state = this.#tasks.get(task) ?? { fence: 0 };
    this.#tasks.set(task, state);
    const fault = (text: string): void =>
      this.#ledger.fault(`Event ${sequence}, ${event_type} of ${task}: ${text}`);
    if (OF_HOLDER.has(event_type) && state.holder?.agent !== agent)
      fault(`${agent} acts, but ${state.holder?.agent ?? "nobody"} holds it`);
    if (event_type === "task_claimed") {
      const fence = Number(details["fence"]);
      if (state.holder !== undefined) fault(`${agent} claims what ${state.holder.agent} holds`);
      if (fence <= state.fence) fault(`fence ${fence} after ${state.fence}`);
      state.holder = { agent: agent ?? "", fence };
      state.fence = fence;
    } else if (TAKES_AWAY.has(event_type)) {
      const fence = Number(details["fence"]);
      if (state.holder?.agent !== details["agent"])
        fault(`${String(details["agent"])} loses what ${state.holder?.agent ?? "nobody"} holds`);
      if (fence <= state.fence) fault(`fence ${fence} after ${state.fence}`);
      state.holder = undefined;
      state.fence = fence;
    } else if (ENDS_CLAIM.has(event_type)) {
      if (state.holder?.fence !== details["fence"])
        fault(`fence ${String(details["fence"])}, but ${state.fence} is held`);
      state.holder = undefined;
      if (event_type === "task_finished") this.#finished.push(task);
    } else if (event_type === "phase_entered") {
      const to = String(details["to"]);
      if (!Object.hasOwn(BEFORE, to) || BEFORE[to] !== state.phase)
        fault(`from ${state.phase ?? "no phase"} to ${to}`);
      state.phase = to;
    }
  }
}

/** The name of an event's action in the ledger. */
function nameOf({ sequence, event_type, agent_id, task_id, details }: LogEvent): string {
  switch (event_type) {
    case "task_created":
      return `created ${task_id}`;
    case "task_claimed":
      return `claimed ${task_id} by ${agent_id} at fence ${String(details["fence"])}`;
    case "task_renewed":
      return `lease of ${task_id} until ${String(details["lease_until"])}`;
    case "task_released":
      return `released ${task_id} at fence ${String(details["fence"])}`;
    case "tool_result":
      return `result of ${String(details["id"])}`;
    case "tool_allowed":
    case "tool_denied":
      return `decision about ${String(details["id"])}`;
    case "phase_entered":
      return `entered ${String(details["to"])} with ${task_id} at ${sequence}`;
    case "gate_decided":
      return `gate of ${task_id} decided at ${sequence}`;
    default:
      return `${event_type} ${sequence}`;
  }
}
