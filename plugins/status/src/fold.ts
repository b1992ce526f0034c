import { checkArgument, type LogEvent } from "@bylaw/kernel";
import { createAgent, type AgentFold } from "./agent.ts";
import { createCoordination } from "./coordination.ts";
import { jsonText } from "./json-text.ts";
import { added, firstCharacters, rounded, secondsOf, textOf, textsOf } from "./reading.ts";
import type { ReliabilityOptions } from "./reliability.ts";
import type { Status } from "./schema.ts";
import { createTools } from "./tools.ts";
import { Work } from "./work.ts";

/** How much a status holds. */
export type StatusOptions = Partial<ReliabilityOptions>;

/** The state of a run, event by event. */
export interface StatusFold {
  /** Sequence of the last event that was added. */
  readonly head: number;
  /** Adds events that follow; those that were added already are left out. */
  add(events: readonly LogEvent[]): void;
  /** The text of `status.json`: the same for the same log, however it was added. */
  text(): string;
  /** The same in UTF-8. */
  bytes(): Uint8Array;
  /** The same in parts that are to be written one after the other. They stay as they are, whatever is added later. */
  parts(): readonly Uint8Array[];
  value(): Status;
}

type Finish = Readonly<Pick<Status, "finish_reason" | "finish_reason_details">>;

// What only an agent can do: where a host does not name its one agent, it goes by the empty text, as in `agentTurns`.
const OF_AGENTS: ReadonlySet<string> = new Set([
  ...[
    "enforcement",
    "response_accepted",
    "agent_dropped",
    "round_started",
    "model_usage",
    "infrastructure_event",
  ],
]);
/** Longest text about how a run ended, in characters. */
const DETAILS = 500;
// The strictest first: a run that ran out of time is not completed, whoever won.
const FINISHES = ["timeout", "completed", "error"] as const;

/** Folds a log into the state of its run. Reads whatever stands in it, and throws for nothing. */
export function createStatus(options: StatusOptions = {}): StatusFold {
  const { keep, previews = true } = checkArgument("createStatus", "options", options);
  const agents = new Map<string, AgentFold>();
  const tools = createTools();
  const coordination = createCoordination();
  const work = new Work(agentOf);
  const finishes = new Map<string, string>();
  const meta: Status["meta"] = {
    ...{ last_updated: null, session_id: null, sessions: 0, start_time: null, elapsed_seconds: 0 },
    ...{ plan_file: null, last_sequence: 0, last_hash: null },
  };
  let active: string | null = null;

  function agentOf(id: string): AgentFold {
    const agent = agents.get(id) ?? createAgent({ keep, previews });
    agents.set(id, agent);
    return agent;
  }

  function finish({ event_type, details }: LogEvent): void {
    if (event_type === "workflow_ended") finishes.set("completed", work.progress()?.words ?? "");
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

  function take(event: LogEvent): void {
    const { sequence, timestamp, session_id, event_type, agent_id, details, hash } = event;
    const at = secondsOf(timestamp) ?? meta.last_updated ?? 0;
    meta.start_time ??= at;
    if (session_id !== meta.session_id) meta.sessions += 1;
    Object.assign(meta, {
      last_updated: at,
      session_id,
      last_sequence: sequence,
      last_hash: hash ?? null,
    });
    meta.elapsed_seconds = rounded(Math.max(0, at - meta.start_time), 3);
    if (event_type === "session_start") {
      meta.plan_file = textOf(details["plan_file"]) ?? null;
    }
    if (event_type === "consensus_opened") for (const id of textsOf(details["agents"])) agentOf(id);
    const id = agent_id ?? (OF_AGENTS.has(event_type) ? "" : null);
    const agent = id === null ? undefined : agentOf(id);
    agent?.add(event, at);
    active = id ?? active;
    tools.add(event, at);
    coordination.add(event, agent);
    work.add(event, at);
    finish(event);
  }

  // A run with tasks or steps has no votes, unless the log has some.
  const phase = (): Status["coordination"]["phase"] =>
    coordination.begun || work.progress() === undefined ? coordination.phase() : null;

  function finished(): Finish {
    const reason = FINISHES.find((name) => finishes.has(name));
    if (reason !== undefined)
      return {
        finish_reason: reason,
        finish_reason_details: firstCharacters(finishes.get(reason) ?? "", DETAILS),
      };
    if (meta.last_sequence === 0) return { finish_reason: null, finish_reason_details: null };
    return {
      finish_reason: "in_progress",
      finish_reason_details: firstCharacters(
        phase() === null ? (work.progress()?.words ?? "") : `Phase: ${phase()}`,
        DETAILS,
      ),
    };
  }

  function head(): Omit<Status, "agents" | "results"> {
    const { finish_reason, finish_reason_details } = finished();
    const all = [...agents.values()];
    const sum = (of: (agent: AgentFold) => number): number =>
      all.reduce((total, agent) => added(total, of(agent)), 0);
    const came = (outcome: string | null): number =>
      all.filter(
        ({ reliability, done }) => reliability.outcome === outcome && !(outcome === null && done),
      ).length;
    const is_complete = finish_reason !== null && finish_reason !== "in_progress";
    return {
      schema_version: 1,
      finish_reason,
      finish_reason_details,
      is_complete,
      meta,
      costs: {
        total_estimated_cost: rounded(
          sum(({ usage }) => usage.estimated_cost),
          6,
        ),
        total_input_tokens: sum(({ usage }) => usage.input_tokens),
        total_output_tokens: sum(({ usage }) => usage.output_tokens),
      },
      tools: tools.value(),
      rounds: {
        total_rounds: sum(({ reliability }) => reliability.rounds),
        by_outcome: {
          ok: came("ok"),
          non_compliant: came("non_compliant"),
          dropped: came("dropped"),
          running: came(null),
        },
      },
      tasks: work.tasks(),
      workflow: work.workflow(),
      pauses: work.pauses(),
      coordination: {
        phase: phase(),
        active_agent:
          !is_complete && active !== null && agents.get(active)?.active === true ? active : null,
        completion_percentage:
          phase() === null
            ? (work.progress()?.percentage ?? 0)
            : coordination.percentage(agents.size),
        is_final_presentation: coordination.phase() === "presentation",
      },
    };
  }

  function parts(): readonly Uint8Array[] {
    const entries = [...agents].flatMap(([id, agent], index) => [
      encoded(`${index === 0 ? "" : ","}\n    ${jsonText(id)}: `),
      ...agent.parts(),
    ]);
    const results = jsonText(coordination.results(), 2).replaceAll("\n", "\n  ");
    const before = `${jsonText(head(), 2).slice(0, -2)},\n  "agents": {`;
    return [
      encoded(before),
      ...entries,
      encoded(`${agents.size === 0 ? "" : "\n  "}},\n  "results": ${results}\n}\n`),
    ];
  }

  const bytes = (): Uint8Array => Buffer.concat(parts());
  const text = (): string => new TextDecoder().decode(bytes());

  return {
    get head() {
      return meta.last_sequence;
    },
    add(events) {
      for (const event of events) if (event.sequence > meta.last_sequence) take(event);
    },
    bytes,
    parts,
    text,
    value: () => JSON.parse(text()) as Status,
  };
}

const encoder = new TextEncoder();
const encoded = (text: string): Uint8Array => encoder.encode(text);
