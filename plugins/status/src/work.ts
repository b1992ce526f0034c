import { isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { countOf, firstCharacters, objectFrom, textOf } from "./reading.ts";
import type { Status } from "./schema.ts";

/** Receives the agents that start and stop working on something. */
export interface Worker {
  hold(work: string): void;
  release(work: string): void;
}

type Task = Status["tasks"]["open"][number];
type Change = Pick<Task, "status"> & { readonly holds: boolean };

const COMPLETED_PHASE = "@completed";
/** How many open tasks are listed. */
const LISTED = 1_000;
const TEXT = 500;

// The state that an event gives its task, and whether its agent holds it from then on.
const CHANGES: Readonly<Record<string, Change>> = Object.assign(Object.create(null) as object, {
  task_created: { status: "ready", holds: false },
  task_claimed: { status: "working", holds: true },
  task_lapsed: { status: "ready", holds: false },
  task_released: { status: "ready", holds: false },
  task_retried: { status: "ready", holds: false },
  task_failed: { status: "failed", holds: false },
  task_escalated: { status: "failed", holds: false },
  developer_dispatched: { status: "working", holds: true },
  developer_ready_for_review: { status: "review", holds: false },
  developer_incomplete: { status: "ready", holds: false },
  developer_blocked: { status: "blocked", holds: false },
  critic_dispatched: { status: "review", holds: true },
  critic_pass: { status: "audit", holds: false },
  critic_fail: { status: "rework", holds: false },
  critic_timeout: { status: "review", holds: false },
  auditor_dispatched: { status: "audit", holds: true },
  auditor_fail: { status: "rework", holds: false },
  auditor_blocked: { status: "blocked", holds: false },
  task_complete: { status: "completed", holds: false },
  task_restarted_on_resume: { status: "ready", holds: false },
  task_reverification_required: { status: "audit", holds: false },
} satisfies Record<string, Change>);

// Work outside the plan's tasks: the events that begin it, and those that end it.
const BEGINS: Readonly<Record<string, string>> = Object.assign(Object.create(null) as object, {
  expert_delegated: "expert",
  remediation_dispatched: "remediation",
  health_audit_dispatched: "health",
  business_analyst_dispatched: "expansion",
  step_started: "step",
  call_started: "call",
});
const ENDS: Readonly<Record<string, string>> = Object.assign(Object.create(null) as object, {
  ...{ expert_complete: "expert", expert_failed: "expert", expert_out_of_scope: "expert" },
  ...{ remediation_complete: "remediation", remediation_failed: "remediation" },
  ...{ health_audit_pass: "health", health_audit_fail: "health" },
  ...{ health_audit_unexpected: "health" },
  ...{ task_expanded: "expansion", expansion_needs_clarification: "expansion" },
  ...{ step_completed: "step", call_completed: "call" },
});

/** Follows tasks, workflows and pauses in a run without a consensus. */
export class Work {
  readonly #workerOf: (agent: string) => Worker;
  readonly #open = new Map<string, Task>();
  readonly #phases = new Map<string, string>();
  readonly #completed = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #pauses = new Map<number, Status["pauses"][number]>();
  /** Steps that ended or were skipped. */
  readonly #settled = new Set<string>();
  #planned = 0;
  #workflow: Status["workflow"] = null;

  /** `workerOf`: finds the agent whose work is tracked. */
  constructor(workerOf: (agent: string) => Worker) {
    this.#workerOf = workerOf;
  }

  add(event: LogEvent, at: number): void {
    const { event_type, agent_id: agent, task_id: task, details } = event;
    if (event_type === "session_start") this.#planned = countOf(details["total_tasks"]) ?? 0;
    const change = CHANGES[event_type];
    if (change !== undefined && task !== null) this.#put(task, change, agent);
    if (event_type === "phase_entered" && task !== null)
      this.#enter(task, textOf(details["to"]) ?? "", agent);
    const of = textOf(details["step"]) ?? task ?? "";
    const begins = BEGINS[event_type];
    const ends = ENDS[event_type];
    if (begins !== undefined && agent !== null) this.#workerOf(agent).hold(`${begins} ${of}`);
    if (ends !== undefined && agent !== null) this.#workerOf(agent).release(`${ends} ${of}`);
    this.#pause(event, at);
    this.#steer(event);
  }

  tasks(): Status["tasks"] {
    return {
      planned: this.#planned,
      completed: this.#completed.size,
      by_phase: objectFrom(this.#counts),
      open: [...this.#open.values()].slice(0, LISTED),
      open_omitted: Math.max(0, this.#open.size - LISTED),
    };
  }

  workflow(): Status["workflow"] {
    if (this.#workflow === null) return null;
    const { status, steps, held } = this.#workflow;
    const waits = this.#pauses.size > 0 ? "paused" : held === null ? "running" : "held";
    const settled = Math.min(this.#settled.size, steps);
    return { ...this.#workflow, status: status === "running" ? waits : status, settled };
  }

  pauses(): Status["pauses"] {
    return [...this.#pauses.values()].slice(0, LISTED);
  }

  /** The progress in words and in percent; `undefined` if there is no such work. */
  progress(): { readonly words: string; readonly percentage: number } | undefined {
    const now = this.workflow();
    if (now !== null) return { words: wordsOf(now), percentage: percent(now.settled, now.steps) };
    const completed = this.#completed.size;
    const seen = this.#open.size + completed;
    if (seen === 0) return undefined;
    const known = Math.max(this.#planned, seen);
    const words = `${completed} of ${known} tasks completed`;
    return { words, percentage: percent(completed, known) };
  }

  #put(id: string, { status, holds }: Change, agent: string | null): void {
    const before = this.#open.get(id)?.agent ?? null;
    const holder = holds ? agent : null;
    if (before !== null && before !== holder) this.#workerOf(before).release(`task ${id}`);
    if (holder !== null) this.#workerOf(holder).hold(`task ${id}`);
    if (status === "completed") {
      this.#completed.add(id);
      this.#open.delete(id);
      return;
    }
    this.#completed.delete(id);
    this.#open.set(id, { id, status, phase: this.#phases.get(id) ?? null, agent: holder });
  }

  #enter(id: string, to: string, agent: string | null): void {
    const from = this.#phases.get(id);
    const left = (this.#counts.get(from ?? "") ?? 1) - 1;
    if (left === 0) this.#counts.delete(from ?? "");
    else this.#counts.set(from ?? "", left);
    this.#phases.set(id, to);
    this.#counts.set(to, (this.#counts.get(to) ?? 0) + 1);
    if (to === COMPLETED_PHASE) return this.#put(id, { status: "completed", holds: false }, agent);
    const before = this.#open.get(id);
    // Without claims, the agent that moves a task works on it.
    if (before === undefined) this.#put(id, { status: "working", holds: true }, agent);
    else this.#open.set(id, { ...before, phase: to });
  }

  #pause({ event_type, details, agent_id, task_id, sequence }: LogEvent, at: number): void {
    if (event_type === "checkpoint_resumed") this.#pauses.delete(Number(details["checkpoint"]));
    const directive = event_type === "behavior_applied" ? (details["directive"] ?? null) : null;
    if (!isJsonObject(directive) || directive["action"] !== "checkpoint") return;
    const said = { step: short(details, "step"), reason: short(details, "reason") };
    this.#pauses.set(sequence, { task: task_id, agent: agent_id, ...said, since: at });
  }

  #steer({ event_type, details }: LogEvent): void {
    if (event_type === "workflow_started") this.#workflow = begun(details);
    if (this.#workflow === null) return;
    const workflow = this.#workflow;
    const step = short(details, "step");
    if (event_type === "step_started") workflow.step = step;
    else if (event_type === "step_settled" || event_type === "step_skipped")
      this.#settled.add(step ?? "");
    else if (event_type === "workflow_held") workflow.held ??= holdIn(details);
    else if (event_type === "workflow_released") workflow.held = null;
    else if (event_type === "workflow_moved")
      this.#workflow = { ...workflow, status: "running", held: null, reason: null };
    else if (event_type === "workflow_ended") {
      workflow.status = details["outcome"] === "completed" ? "completed" : "stopped";
      workflow.reason = short(details, "reason");
    }
  }
}

function short(details: JsonObject, name: string): string | null {
  const text = textOf(details[name]);
  return text === undefined ? null : firstCharacters(text, TEXT);
}

const begun = (details: JsonObject): NonNullable<Status["workflow"]> => ({
  template: short(details, "template") ?? "",
  status: "running",
  step: null,
  steps: countOf(details["steps"]) ?? 0,
  settled: 0,
  held: null,
  reason: null,
});

const holdIn = (details: JsonObject): NonNullable<NonNullable<Status["workflow"]>["held"]> => ({
  step: short(details, "step") ?? "",
  why: short(details, "why") ?? "",
  message: short(details, "message") ?? "",
});

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(100, Math.floor((100 * part) / whole));

function wordsOf({
  status,
  step,
  held,
  reason,
  settled,
  steps,
}: NonNullable<Status["workflow"]>): string {
  if (status === "held") return `Held at ${held?.step ?? ""}: ${held?.message ?? ""}`;
  if (status === "completed" || status === "stopped")
    return `Workflow ${status}${reason === null ? "" : `: ${reason}`}`;
  const at = step === null ? "" : ` at ${step}`;
  return `${status === "paused" ? "Paused" : "Running"}${at}, ${settled} of ${steps} steps`;
}
