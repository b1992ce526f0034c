import { checkArgument, type LogEvent } from "@bylaw/kernel";
import type { TurnOutcome } from "@bylaw/log";
import { AgentFold } from "./agent.ts";
import { CoordinationFold } from "./coordination.ts";
import { jsonText } from "./json-text.ts";
import { added, firstCharacters, rounded, secondsOf, textOf, textsOf } from "./reading.ts";
import type { ReliabilityOptions } from "./reliability.ts";
import type { Status } from "./schema.ts";
import { ToolFold } from "./tools.ts";
import { Work } from "./work.ts";

/** The limits of a status. */
export type StatusOptions = Partial<ReliabilityOptions>;

// Event types of agents. If a host does not name its only agent, its name is the empty text, as in `agentTurns`.
const OF_AGENTS: ReadonlySet<string> = new Set([
  "enforcement",
  "response_accepted",
  "agent_dropped",
  "round_started",
  "model_usage",
  "infrastructure_event",
]);
/** The longest text about how a run ended, in characters. */
const DETAILS = 500;
// The strictest first: a run that timed out is not completed, even with a winner.
const FINISHES = ["timeout", "completed", "error"] as const;

/** Folds a log into the state of its run. Accepts any content of the log, and never throws. */
export const createStatus = (options: StatusOptions = {}): StatusFold =>
  new RunStatus(checkArgument("createStatus", "options", options));

/** The state of a run, event by event. */
export type StatusFold = Pick<RunStatus, keyof RunStatus>;

class RunStatus {
  readonly #options: ReliabilityOptions;
  readonly #agents = new Map<string, AgentFold>();
  readonly #tools = new ToolFold();
  readonly #coordination = new CoordinationFold();
  readonly #work = new Work((id) => this.#agentOf(id));
  readonly #finishes = new Map<string, string>();
  readonly #meta: Status["meta"] = {
    last_updated: null,
    session_id: null,
    sessions: 0,
    start_time: null,
    elapsed_seconds: 0,
    plan_file: null,
    last_sequence: 0,
    last_hash: null,
  };
  #active: string | null = null;

  constructor({ keep, previews = true }: StatusOptions) {
    this.#options = { keep, previews };
  }

  /** The sequence of the last event that was added. */
  get head(): number {
    return this.#meta.last_sequence;
  }

  /** Adds the events that follow; those already added are skipped. */
  add(events: readonly LogEvent[]): void {
    for (const event of events) if (event.sequence > this.head) this.#take(event);
  }

  /** The text of `status.json`, which depends only on the log and not on how events were added. */
  text(): string {
    return new TextDecoder().decode(this.bytes());
  }

  /** The same in UTF-8. */
  bytes(): Uint8Array {
    return Buffer.concat(this.parts());
  }

  /** The same in parts, to be written one after the other. Parts are never mutated. */
  parts(): readonly Uint8Array[] {
    const entries = [...this.#agents].flatMap(([id, agent], index) => [
      encoded(`${index === 0 ? "" : ","}\n    ${jsonText(id)}: `),
      ...agent.parts(),
    ]);
    const results = jsonText(this.#coordination.results(), 2).replaceAll("\n", "\n  ");
    const before = `${jsonText(this.#head(), 2).slice(0, -2)},\n  "agents": {`;
    const behind = `${entries.length === 0 ? "" : "\n  "}},\n  "results": ${results}\n}\n`;
    return [encoded(before), ...entries, encoded(behind)];
  }

  value(): Status {
    return JSON.parse(this.text()) as Status;
  }

  #agentOf(id: string): AgentFold {
    const agent = this.#agents.get(id) ?? new AgentFold(this.#options);
    this.#agents.set(id, agent);
    return agent;
  }

  #take(event: LogEvent): void {
    const { sequence, timestamp, session_id, event_type, agent_id, details, hash } = event;
    const meta = this.#meta;
    const at = secondsOf(timestamp) ?? meta.last_updated ?? 0;
    meta.start_time ??= at;
    if (session_id !== meta.session_id) meta.sessions += 1;
    meta.last_updated = at;
    meta.session_id = session_id;
    meta.last_sequence = sequence;
    meta.last_hash = hash ?? null;
    meta.elapsed_seconds = rounded(Math.max(0, at - meta.start_time), 3);
    if (event_type === "session_start") meta.plan_file = textOf(details["plan_file"]) ?? null;
    if (event_type === "consensus_opened")
      for (const id of textsOf(details["agents"])) this.#agentOf(id);
    const id = agent_id ?? (OF_AGENTS.has(event_type) ? "" : null);
    const agent = id === null ? undefined : this.#agentOf(id);
    agent?.add(event, at);
    this.#active = id ?? this.#active;
    this.#tools.add(event, at);
    this.#coordination.add(event, agent);
    this.#work.add(event, at);
    this.#finish(event);
  }

  #finish({ event_type, details }: LogEvent): void {
    const finishes = this.#finishes;
    if (event_type === "workflow_ended")
      finishes.set("completed", this.#work.progress()?.words ?? "");
    // A person may resume a workflow.
    else if (event_type === "workflow_moved") finishes.delete("completed");
    else if (event_type === "workflow_complete") finishes.set("completed", "Workflow complete");
    else if (event_type === "workflow_failed")
      finishes.set("error", textOf(details["reason"]) ?? "");
    else if (event_type === "winner_selected")
      finishes.set("completed", `Winner: ${textOf(details["agent"]) ?? ""}`);
    else if (event_type === "run_finished")
      finishes.set(textOf(details["reason"]) ?? "", textOf(details["details"]) ?? "");
  }

  // A run with tasks or steps has no voting phase, unless the log has votes.
  #phase(): Status["coordination"]["phase"] {
    const votes = this.#coordination.begun || this.#work.progress() === undefined;
    return votes ? this.#coordination.phase : null;
  }

  #finished(): Pick<Status, "finish_reason" | "finish_reason_details"> {
    const phase = this.#phase();
    const reason = FINISHES.find((name) => this.#finishes.has(name));
    if (reason === undefined && this.head === 0)
      return { finish_reason: null, finish_reason_details: null };
    const now = phase === null ? (this.#work.progress()?.words ?? "") : `Phase: ${phase}`;
    const details = reason === undefined ? now : (this.#finishes.get(reason) ?? "");
    return {
      finish_reason: reason ?? "in_progress",
      finish_reason_details: firstCharacters(details, DETAILS),
    };
  }

  #head(): Omit<Status, "agents" | "results"> {
    const finish = this.#finished();
    const is_complete = !(finish.finish_reason === null || finish.finish_reason === "in_progress");
    return {
      schema_version: 1,
      ...finish,
      is_complete,
      meta: this.#meta,
      costs: {
        total_estimated_cost: rounded(
          this.#sum(({ usage }) => usage.estimated_cost),
          6,
        ),
        total_input_tokens: this.#sum(({ usage }) => usage.input_tokens),
        total_output_tokens: this.#sum(({ usage }) => usage.output_tokens),
      },
      tools: this.#tools.value(),
      rounds: {
        total_rounds: this.#sum(({ reliability }) => reliability.rounds),
        by_outcome: {
          ok: this.#count("ok"),
          non_compliant: this.#count("non_compliant"),
          dropped: this.#count("dropped"),
          running: this.#count(null),
        },
      },
      tasks: this.#work.tasks(),
      workflow: this.#work.workflow(),
      pauses: this.#work.pauses(),
      coordination: this.#coordinationNow({ is_complete }),
    };
  }

  #sum(of: (agent: AgentFold) => number): number {
    return [...this.#agents.values()].reduce((total, agent) => added(total, of(agent)), 0);
  }

  #count(outcome: TurnOutcome): number {
    return this.#sum(({ reliability, done }) =>
      reliability.outcome === outcome && !(outcome === null && done) ? 1 : 0,
    );
  }

  #coordinationNow({ is_complete }: Pick<Status, "is_complete">): Status["coordination"] {
    const phase = this.#phase();
    const id = this.#active;
    const isActive = !is_complete && id !== null && this.#agents.get(id)?.active === true;
    return {
      phase,
      active_agent: isActive ? id : null,
      completion_percentage:
        phase === null
          ? (this.#work.progress()?.percentage ?? 0)
          : this.#coordination.percentage(this.#agents.size),
      is_final_presentation: this.#coordination.phase === "presentation",
    };
  }
}

const encoder = new TextEncoder();
const encoded = (text: string): Uint8Array => encoder.encode(text);
