import { quote } from "@bylaw/wording";
import { COORDINATOR_TYPES, treeDrop, treeGet, treePut } from "@bylaw/log";
import { COMPACTION_STEPS } from "./compaction.ts";
import { NO_RECORD, type CoordinatorState, type TaskRecord } from "./state.ts";
import { agentOf, listOf, taskOf, textOf, type EventContent } from "./event-content.ts";
import { GUIDANCE_EVENTS, GUIDANCE_OPENERS, outOfOrder, questionAfter } from "./guidance.ts";
import { DISPATCHES, INFRASTRUCTURE_STEPS } from "./infrastructure.ts";
import { restart, reverify, type Interruption } from "./reverification.ts";
import { impossible, type Violation, type Step } from "./rules.ts";
import { NEW_TASK, TASK_STEPS, wrongStatus, type TaskState } from "./task.ts";
import { workflowAfter } from "./workflow.ts";

/** The state after an event. */
export interface StepResult {
  readonly state: CoordinatorState;
  /** The rule that it breaks, if any. At most one. */
  readonly broken?: Violation | undefined;
}

const NOBODY = "";
const NO_TASK = "";

const TYPES: ReadonlySet<string> = new Set(COORDINATOR_TYPES.map(({ name }) => name));
const ABOUT_A_TASK: ReadonlySet<string> = new Set(
  COORDINATOR_TYPES.filter(({ details }) => Object.hasOwn(details.shape, "task_id")).map(
    ({ name }) => name,
  ),
);
const RESUME = {
  task_restarted_on_resume: restart,
  task_reverification_required: reverify,
} as const;
const ANALYSIS: ReadonlySet<string> = new Set([
  "business_analyst_dispatched",
  "task_expanded",
  "expansion_needs_clarification",
]);
const NEEDS_TASK: ReadonlySet<string> = new Set([
  ...Object.keys(TASK_STEPS),
  ...Object.keys(RESUME),
  ...ANALYSIS,
]);
const NEEDS_AGENT: ReadonlySet<string> = new Set([...DISPATCHES, "health_audit_dispatched"]);
const EXPERT_RESULTS: ReadonlySet<string> = new Set([
  "expert_complete",
  "expert_failed",
  "expert_out_of_scope",
]);

/** Whether an event of this type can change the state or break a rule. In a log without a coordinator only its first event can. */
export const concerns = (
  { begun, tasks, workflow }: CoordinatorState,
  event_type: string,
): boolean =>
  TYPES.has(event_type) ||
  !begun ||
  tasks !== null ||
  workflow.partial ||
  workflow.ended_by !== null;

/**
 * Checks one event against the life cycle of spec/003's coordinator. An impossible event changes nothing but the time of the last
 * event. `time`: the time of the event, in milliseconds since 1970. Pure.
 */
export function step(
  state: CoordinatorState,
  event: EventContent,
  time: number | undefined,
): StepResult {
  const { workflow, completed, begun, last } = state;
  const at = time ?? last ?? 0;
  const { next = workflow, broken: ended } = workflowAfter(workflow, event, {
    completed,
    first: !begun,
  });
  // After the workflow has ended, the state no longer matters.
  if (workflow.ended_by !== null) return { state, broken: ended };
  const before: CoordinatorState = {
    ...state,
    begun: true,
    workflow: next,
    last: at,
    before_resume: event.event_type === "session_resumed" ? last : state.before_resume,
  };
  if (ended !== undefined) return { state: before, broken: ended };
  const judged = TYPES.has(event.event_type)
    ? judge(before, event, { at, last })
    : { state: before };
  return judged.broken === undefined && GUIDANCE_OPENERS.has(event.event_type)
    ? { state: edit(judged.state, taskOf(event) ?? NO_TASK, { opened: true }) }
    : judged;
}

interface Times {
  readonly at: number;
  /** The time of the previous event. */
  readonly last: number | null;
}

function judge(state: CoordinatorState, event: EventContent, times: Times): StepResult {
  const { event_type: type } = event;
  const malformed = form(event);
  if (malformed !== undefined) return { state, broken: malformed };
  const id = ABOUT_A_TASK.has(type) || NEEDS_TASK.has(type) ? taskOf(event) : undefined;
  const life = id === undefined ? null : recordOf(state, id).life;
  if (life?.status === "complete" && !Object.hasOwn(RESUME, type)) {
    return {
      state,
      ...wrongStatus("TASK_ALREADY_COMPLETE", life, event, "nothing more can happen to it"),
    };
  }
  if (state.infrastructure.blocked && DISPATCHES.has(type)) {
    const message = `\`${type}\` for task ${quote(id ?? "")} came while the infrastructure is blocked: \`infrastructure_restored\` must come first.`;
    return { state, ...impossible("DISPATCH_WHILE_BLOCKED", message) };
  }
  if (GUIDANCE_EVENTS.has(type)) return question(state, event);
  if (type === "expert_delegated" || EXPERT_RESULTS.has(type)) return expert(state, event);
  if (Object.hasOwn(COMPACTION_STEPS, type)) {
    return take(state, COMPACTION_STEPS[type]?.(state.compaction, event), (compaction) => ({
      ...state,
      compaction,
    }));
  }
  if (Object.hasOwn(INFRASTRUCTURE_STEPS, type)) {
    return take(
      state,
      INFRASTRUCTURE_STEPS[type]?.(state.infrastructure, event),
      (infrastructure) =>
        type === "infrastructure_blocked"
          ? interrupt({ ...state, infrastructure }, event)
          : { ...state, infrastructure },
    );
  }
  if (id === undefined || !NEEDS_TASK.has(type)) return { state };
  return ANALYSIS.has(type) ? analyst(state, event, id) : work(state, event, id, times);
}

// Applies a step unless it is impossible.
function take<Part>(
  state: CoordinatorState,
  taken: Step<Part> | undefined,
  keep: (next: Part) => CoordinatorState,
): StepResult {
  if (taken === undefined) return { state };
  return { state: "next" in taken ? keep(taken.next as Part) : state, broken: taken.broken };
}

const recordOf = ({ tasks }: CoordinatorState, id: string): TaskRecord =>
  treeGet(tasks, id) ?? NO_RECORD;

function edit(state: CoordinatorState, id: string, change: Partial<TaskRecord>): CoordinatorState {
  const record = { ...recordOf(state, id), ...change };
  const idle =
    record.life === null && record.questions === null && !record.opened && !record.analysed;
  const tasks = idle ? treeDrop(state.tasks, id) : treePut(state.tasks, id, record);
  return tasks === state.tasks ? state : { ...state, tasks };
}

function keepLife(
  state: CoordinatorState,
  id: string,
  life: TaskState,
  more: Partial<TaskRecord> = {},
): CoordinatorState {
  const was = recordOf(state, id).life;
  const completed =
    state.completed + Number(life.status === "complete") - Number(was?.status === "complete");
  return edit(completed === state.completed ? state : { ...state, completed }, id, {
    ...more,
    life,
  });
}

function form(event: EventContent): Violation | undefined {
  const { event_type: type, task_id } = event;
  const named = textOf(event, "task_id");
  if (ABOUT_A_TASK.has(type) && task_id !== null && named !== undefined && named !== task_id) {
    const message = `\`${type}\` has the \`task_id\` ${quote(named)} in its details, but ${quote(task_id)} in its envelope.`;
    return { rule: "INVALID_FIELD", message };
  }
  if (NEEDS_TASK.has(type) && taskOf(event) === undefined) {
    return { rule: "INVALID_FIELD", message: `\`${type}\` needs a \`task_id\`.` };
  }
  if (NEEDS_AGENT.has(type) && agentOf(event) === undefined) {
    return {
      rule: "INVALID_FIELD",
      message: `\`${type}\` needs the \`agent_id\` of the agent that is dispatched.`,
    };
  }
  return undefined;
}

function question(state: CoordinatorState, event: EventContent): StepResult {
  const task = taskOf(event) ?? NO_TASK;
  const agent = agentOf(event) ?? NOBODY;
  const { questions, opened } = recordOf(state, task);
  // A question without an agent is the coordinator's own.
  const asked = questionAfter(treeGet(questions, agent), event, {
    opened: agent === NOBODY || opened,
  });
  return take(state, asked, (next) => {
    const left = next === undefined ? treeDrop(questions, agent) : treePut(questions, agent, next);
    return edit(state, task, {
      questions: left,
      ...(event.event_type === "coordinator_prays" ? { opened: false } : {}),
    });
  });
}

function expert(state: CoordinatorState, event: EventContent): StepResult {
  const run = textOf(event, "run_id");
  if (event.event_type === "expert_delegated") {
    return {
      state:
        run === undefined
          ? state
          : { ...state, delegations: treePut(state.delegations, run, true) },
    };
  }
  if (run !== undefined && treeGet(state.delegations, run) !== undefined) {
    return { state: { ...state, delegations: treeDrop(state.delegations, run) } };
  }
  return {
    state,
    ...impossible(
      "UNKNOWN_RUN_ID",
      run === undefined
        ? `\`${event.event_type}\` names no \`run_id\`.`
        : `\`${event.event_type}\` names run ${quote(run)}, which is not delegated and open.`,
    ),
  };
}

function analyst(state: CoordinatorState, event: EventContent, task: string): StepResult {
  if (event.event_type === "business_analyst_dispatched")
    return { state: edit(state, task, { analysed: true }) };
  if (recordOf(state, task).analysed) {
    return {
      state: event.event_type === "task_expanded" ? edit(state, task, { analysed: false }) : state,
    };
  }
  const message = `\`${event.event_type}\` for task ${quote(task)} came out of order: \`business_analyst_dispatched\` must come first.`;
  return { state, ...impossible("BA_OUT_OF_ORDER", message) };
}

function work(
  state: CoordinatorState,
  event: EventContent,
  id: string,
  { at, last }: Times,
): StepResult {
  const { event_type: type } = event;
  const { workflow } = state;
  const { life, questions } = recordOf(state, id);
  if (type === "task_restarted_on_resume" || type === "task_reverification_required") {
    const pause: Interruption = {
      last_event: state.before_resume ?? (workflow.partial ? null : last),
      partial: workflow.partial,
    };
    return take(state, RESUME[type](life, event, pause), (next) => {
      const elsewhere = life === null && type === "task_reverification_required";
      const counted = elsewhere
        ? { ...state, workflow: { ...workflow, before: Math.max(0, workflow.before - 1) } }
        : state;
      // The agents that asked about the task or analysed it no longer exist.
      return keepLife(counted, id, next, { questions: null, analysed: false });
    });
  }
  if (
    type === "developer_ready_for_review" &&
    treeGet(questions, agentOf(event) ?? NOBODY) !== undefined
  ) {
    return {
      state,
      ...outOfOrder(event, "a question is open, so `agent_resumes_with_guidance` must come first"),
    };
  }
  return take(state, TASK_STEPS[type]?.(life ?? NEW_TASK, event, at), (next) =>
    keepLife(state, id, next),
  );
}

// The agent of a blocked task may no longer exist when work continues.
function interrupt(state: CoordinatorState, event: EventContent): CoordinatorState {
  return listOf(event, "blocked_tasks").reduce<CoordinatorState>((before, name) => {
    const life = typeof name === "string" ? recordOf(before, name).life : null;
    return life === null || life.status === "complete"
      ? before
      : edit(before, String(name), { life: { ...life, again: true } });
  }, state);
}
