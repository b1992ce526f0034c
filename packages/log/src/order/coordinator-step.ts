import { quote } from "@bylaw/wording";
import { COORDINATOR_TYPES } from "../catalogue/catalogue.ts";
import { COMPACTION_STEPS } from "./compaction.ts";
import { NO_RECORD, type CoordinatorState, type TaskRecord } from "./coordinator-state.ts";
import { agentOf, listOf, taskOf, textOf, type Happening } from "./event-parts.ts";
import { GUIDANCE_EVENTS, GUIDANCE_OPENERS, ask, outOfOrder } from "./guidance.ts";
import { DISPATCHES, INFRASTRUCTURE_STEPS } from "./infrastructure.ts";
import { valueOf, withEntry, withoutEntry } from "./keyed.ts";
import { restart, reverify, type Break } from "./resume.ts";
import { impossible, type Broken, type Step } from "./rules.ts";
import { NEW_TASK, TASK_STEPS, wrong, type TaskState } from "./task.ts";
import { proceed } from "./workflow.ts";

/** What came of one event. */
export interface Judged {
  readonly state: CoordinatorState;
  /** The rule that it breaks, at most one. */
  readonly broken?: Broken | undefined;
}

const NOBODY = "";
const NO_TASK = "";

const TYPES: ReadonlySet<string> = new Set(COORDINATOR_TYPES.map(({ name }) => name));
const ABOUT_A_TASK: ReadonlySet<string> = new Set(
  COORDINATOR_TYPES.filter(({ details }) => Object.hasOwn(details.shape, "task_id")).map(({ name }) => name),
);
const RESUME = { task_restarted_on_resume: restart, task_reverification_required: reverify } as const;
const ANALYSIS: ReadonlySet<string> = new Set(["business_analyst_dispatched", "task_expanded", "expansion_needs_clarification"]);
const NEEDS_TASK: ReadonlySet<string> = new Set([...Object.keys(TASK_STEPS), ...Object.keys(RESUME), ...ANALYSIS]);
const NEEDS_AGENT: ReadonlySet<string> = new Set([...DISPATCHES, "health_audit_dispatched"]);
const EXPERT_RESULTS: ReadonlySet<string> = new Set(["expert_complete", "expert_failed", "expert_out_of_scope"]);

/** Whether an event of this type can change the state or break a rule: false for all but the first one of a log without a coordinator. */
export const concerns = ({ begun, tasks, workflow }: CoordinatorState, event_type: string): boolean =>
  TYPES.has(event_type) || !begun || tasks !== null || workflow.partial || workflow.ended_by !== null;

/**
 * Holds one event against the life cycle of spec/003's coordinator. Pure; about log2(tasks) steps, whatever the log holds. An
 * impossible event changes nothing but the clock of the log. `time`: of the event, in milliseconds since 1970.
 */
export function step(state: CoordinatorState, event: Happening, time: number | undefined): Judged {
  const { workflow, completed, begun, last } = state;
  const at = time ?? last ?? 0;
  const { next = workflow, broken: ended } = proceed(workflow, event, { completed, first: !begun });
  // Behind the end nothing is asked of the state any more.
  if (workflow.ended_by !== null) return { state, broken: ended };
  // Field by field: this is done for every event, and a copy by spreading takes twice as long.
  const before: CoordinatorState = {
    begun: true,
    workflow: next,
    infrastructure: state.infrastructure,
    compaction: state.compaction,
    completed,
    last: at,
    before_resume: event.event_type === "session_resumed" ? last : state.before_resume,
    tasks: state.tasks,
    delegations: state.delegations,
  };
  if (ended !== undefined) return { state: before, broken: ended };
  const judged = TYPES.has(event.event_type) ? judge(before, event, { at, last }) : { state: before };
  return judged.broken === undefined && GUIDANCE_OPENERS.has(event.event_type)
    ? { state: edit(judged.state, taskOf(event) ?? NO_TASK, { opened: true }) }
    : judged;
}

interface Times {
  readonly at: number;
  /** Of the event before. */
  readonly last: number | null;
}

function judge(state: CoordinatorState, event: Happening, times: Times): Judged {
  const { event_type: type } = event;
  const malformed = form(event);
  if (malformed !== undefined) return { state, broken: malformed };
  const id = ABOUT_A_TASK.has(type) || NEEDS_TASK.has(type) ? taskOf(event) : undefined;
  const life = id === undefined ? null : recordOf(state, id).life;
  if (life?.status === "complete" && !Object.hasOwn(RESUME, type)) {
    return { state, ...wrong("TASK_ALREADY_COMPLETE", life, event, "nothing more about it") };
  }
  if (state.infrastructure.blocked && DISPATCHES.has(type)) {
    const message = `Unexpected ${type} of task ${quote(id ?? "")} while the infrastructure is blocked, expected infrastructure_restored before it`;
    return { state, ...impossible("DISPATCH_WHILE_BLOCKED", message) };
  }
  if (GUIDANCE_EVENTS.has(type)) return question(state, event);
  if (type === "expert_delegated" || EXPERT_RESULTS.has(type)) return expert(state, event);
  if (Object.hasOwn(COMPACTION_STEPS, type)) {
    return take(state, COMPACTION_STEPS[type]?.(state.compaction, event), (compaction) => ({ ...state, compaction }));
  }
  if (Object.hasOwn(INFRASTRUCTURE_STEPS, type)) {
    return take(state, INFRASTRUCTURE_STEPS[type]?.(state.infrastructure, event), (infrastructure) =>
      type === "infrastructure_blocked" ? interrupt({ ...state, infrastructure }, event) : { ...state, infrastructure },
    );
  }
  if (id === undefined || !NEEDS_TASK.has(type)) return { state };
  return ANALYSIS.has(type) ? analyst(state, event, id) : work(state, event, id, times);
}

// Takes a step, unless it is impossible, and says what is wrong with it.
function take<Part>(state: CoordinatorState, taken: Step<Part> | undefined, keep: (next: Part) => CoordinatorState): Judged {
  if (taken === undefined) return { state };
  return { state: "next" in taken ? keep(taken.next as Part) : state, broken: taken.broken };
}

const recordOf = ({ tasks }: CoordinatorState, id: string): TaskRecord => valueOf(tasks, id) ?? NO_RECORD;

function edit(state: CoordinatorState, id: string, change: Partial<TaskRecord>): CoordinatorState {
  const record = { ...recordOf(state, id), ...change };
  const idle = record.life === null && record.questions === null && !record.opened && !record.analysed;
  const tasks = idle ? withoutEntry(state.tasks, id) : withEntry(state.tasks, id, record);
  return tasks === state.tasks ? state : { ...state, tasks };
}

function keepLife(state: CoordinatorState, id: string, life: TaskState, more: Partial<TaskRecord> = {}): CoordinatorState {
  const was = recordOf(state, id).life;
  const completed = state.completed + Number(life.status === "complete") - Number(was?.status === "complete");
  return edit(completed === state.completed ? state : { ...state, completed }, id, { ...more, life });
}

function form(event: Happening): Broken | undefined {
  const { event_type: type, task_id } = event;
  const named = textOf(event, "task_id");
  if (ABOUT_A_TASK.has(type) && task_id !== null && named !== undefined && named !== task_id) {
    const message = `Unexpected \`task_id\` ${quote(named)} in the details of ${type}, expected ${quote(task_id)} as in the envelope`;
    return { rule: "INVALID_FIELD", message };
  }
  if (NEEDS_TASK.has(type) && taskOf(event) === undefined) {
    return { rule: "INVALID_FIELD", message: `Unexpected ${type} without a \`task_id\`, expected the task that it is about` };
  }
  if (NEEDS_AGENT.has(type) && agentOf(event) === undefined) {
    return { rule: "INVALID_FIELD", message: `Unexpected ${type} without an \`agent_id\`, expected the agent that is dispatched` };
  }
  return undefined;
}

function question(state: CoordinatorState, event: Happening): Judged {
  const task = taskOf(event) ?? NO_TASK;
  const agent = agentOf(event) ?? NOBODY;
  const { questions, opened } = recordOf(state, task);
  // Nobody in particular asks: it is the coordinator's own question.
  const asked = ask(valueOf(questions, agent), event, { opened: agent === NOBODY || opened });
  return take(state, asked, (next) => {
    const left = next === undefined ? withoutEntry(questions, agent) : withEntry(questions, agent, next);
    return edit(state, task, { questions: left, ...(event.event_type === "coordinator_prays" ? { opened: false } : {}) });
  });
}

function expert(state: CoordinatorState, event: Happening): Judged {
  const run = textOf(event, "run_id");
  if (event.event_type === "expert_delegated") {
    return { state: run === undefined ? state : { ...state, delegations: withEntry(state.delegations, run, true) } };
  }
  if (run !== undefined && valueOf(state.delegations, run) !== undefined) {
    return { state: { ...state, delegations: withoutEntry(state.delegations, run) } };
  }
  const of = run === undefined ? "without a run" : `of run ${quote(run)}`;
  return { state, ...impossible("UNKNOWN_RUN_ID", `Unexpected ${event.event_type} ${of}, expected one that is delegated and open`) };
}

function analyst(state: CoordinatorState, event: Happening, task: string): Judged {
  if (event.event_type === "business_analyst_dispatched") return { state: edit(state, task, { analysed: true }) };
  if (recordOf(state, task).analysed) {
    return { state: event.event_type === "task_expanded" ? edit(state, task, { analysed: false }) : state };
  }
  const message = `Unexpected ${event.event_type} of task ${quote(task)}, expected business_analyst_dispatched before it`;
  return { state, ...impossible("BA_OUT_OF_ORDER", message) };
}

function work(state: CoordinatorState, event: Happening, id: string, { at, last }: Times): Judged {
  const { event_type: type } = event;
  const { workflow } = state;
  const { life, questions } = recordOf(state, id);
  if (type === "task_restarted_on_resume" || type === "task_reverification_required") {
    const pause: Break = { last_event: state.before_resume ?? (workflow.partial ? null : last), partial: workflow.partial };
    return take(state, RESUME[type](life, event, pause), (next) => {
      const elsewhere = life === null && type === "task_reverification_required";
      const counted = elsewhere ? { ...state, workflow: { ...workflow, before: Math.max(0, workflow.before - 1) } } : state;
      // Whoever asked about the task or analysed it is gone.
      return keepLife(counted, id, next, { questions: null, analysed: false });
    });
  }
  if (type === "developer_ready_for_review" && valueOf(questions, agentOf(event) ?? NOBODY) !== undefined) {
    return { state, ...outOfOrder(event, "agent_resumes_with_guidance before it, because a question is open") };
  }
  return take(state, TASK_STEPS[type]?.(life ?? NEW_TASK, event, at), (next) => keepLife(state, id, next));
}

// Who worked on a blocked task may be gone when it goes on.
function interrupt(state: CoordinatorState, event: Happening): CoordinatorState {
  return listOf(event, "blocked_tasks").reduce<CoordinatorState>((before, name) => {
    const life = typeof name === "string" ? recordOf(before, name).life : null;
    return life === null || life.status === "complete" ? before : edit(before, String(name), { life: { ...life, again: true } });
  }, state);
}
