import type { LogEvent } from "@bylaw/kernel";
import { nameAt, objectAt } from "./rows.ts";

/** A step of the workflow, or an agent that was called. */
export interface StepSeen {
  readonly name: string;
  readonly kind: "step" | "agent";
  readonly state: "running" | "done" | "failed" | "skipped";
  /** How often it was started. */
  readonly times: number;
}

/** How the work went from one step to another: on, back in a loop, or into a call. */
export interface WaySeen {
  readonly kind: "next" | "loop" | "trigger";
  readonly from: string;
  readonly to: string;
  readonly times: number;
  /** How often it may be taken at most. `null` if there is no limit. */
  readonly most: number | null;
}

/** The steps, loops and triggers of a run. */
export interface WorkflowSeen {
  /** In the order in which they were first seen. */
  readonly steps: readonly StepSeen[];
  readonly ways: readonly WaySeen[];
  /** The step from which the work goes on. `null` at the beginning and after a loop. */
  readonly last: string | null;
}

export const NO_WORKFLOW: WorkflowSeen = { steps: [], ways: [], last: null };

const STEPS = 100;
const WAYS = 300;

/** The workflow of a run after an event. */
export function workflowAfter(seen: WorkflowSeen, event: LogEvent): WorkflowSeen {
  const change = Object.hasOwn(CHANGES, event.event_type) ? CHANGES[event.event_type] : undefined;
  return change === undefined ? seen : change(seen, event);
}

type Change = (seen: WorkflowSeen, event: LogEvent) => WorkflowSeen;

const CHANGES: Readonly<Record<string, Change>> = {
  step_started(seen, { details }) {
    const step = nameAt(details, "step");
    if (step === null) return seen;
    const { last } = seen;
    const isNew = last !== null && last !== step;
    const gone = isNew ? withWay(seen, { kind: "next", from: last, to: step }) : seen;
    return { ...withStep(gone, step, { state: "running", started: true }), last: step };
  },
  step_completed: (seen, { details }) => ended(seen, nameAt(details, "step"), details["ok"]),
  step_skipped(seen, { details }) {
    const step = nameAt(details, "step");
    return step === null ? seen : withStep(seen, step, { state: "skipped" });
  },
  call_completed: (seen, { details }) => ended(seen, nameAt(details, "agent"), details["ok"]),
  agent_returned: (seen, { details }) => ended(seen, nameAt(details, "agent"), details["ok"]),
  behavior_applied(seen, { agent_id, details }) {
    const directive = objectAt(details, "directive");
    const from = nameAt(directive, "step") ?? agent_id?.slice(0, 200) ?? null;
    if (from === null) return seen;
    const to = nameAt(directive, directive["action"] === "trigger" ? "agent" : "to");
    if (to === null) return seen;
    if (directive["action"] === "loop") {
      const { max_iterations: most } = directive;
      const known = withStep(withStep(seen, to, {}), from, {});
      const way = { kind: "loop", from, to, most: typeof most === "number" ? most : null } as const;
      return { ...withWay(known, way), last: null };
    }
    if (directive["action"] !== "trigger") return seen;
    const called = withStep(withStep(seen, from, {}), to, {
      ...{ kind: "agent", state: "running", started: true },
    } as const);
    return withWay(called, { kind: "trigger", from, to });
  },
};

const ended = (seen: WorkflowSeen, name: string | null, ok: unknown): WorkflowSeen =>
  name === null || !seen.steps.some((one) => one.name === name)
    ? seen
    : withStep(seen, name, { state: ok === false ? "failed" : "done" });

interface StepChange {
  readonly kind?: StepSeen["kind"];
  readonly state?: StepSeen["state"];
  readonly started?: boolean;
}

/** Changes a step, or adds it if there is room. */
function withStep(seen: WorkflowSeen, name: string, change: StepChange): WorkflowSeen {
  const known = seen.steps.find((one) => one.name === name);
  if (known === undefined && seen.steps.length >= STEPS) return seen;
  const { kind = "step", state = "running", times = 0 } = known ?? {};
  const step: StepSeen = {
    ...{ name, kind: known === undefined ? (change.kind ?? kind) : kind },
    state: change.state ?? state,
    times: times + (change.started === true ? 1 : 0),
  };
  const steps =
    known === undefined
      ? [...seen.steps, step]
      : seen.steps.map((one) => (one === known ? step : one));
  return { ...seen, steps };
}

function withWay(
  seen: WorkflowSeen,
  way: Pick<WaySeen, "kind" | "from" | "to"> & Partial<WaySeen>,
): WorkflowSeen {
  const { kind, from, to, most = null } = way;
  const known = seen.ways.find((one) => one.kind === kind && one.from === from && one.to === to);
  if (known === undefined && seen.ways.length >= WAYS) return seen;
  const taken = { kind, from, to, most, times: (known?.times ?? 0) + 1 };
  const ways =
    known === undefined
      ? [...seen.ways, taken]
      : seen.ways.map((one) => (one === known ? taken : one));
  return { ...seen, ways };
}
