import { COORDINATOR_TYPES } from "../catalogue/catalogue.ts";
import { quote } from "../quote.ts";
import { COMPACTION_STEPS, NO_COMPACTION } from "./compaction.ts";
import { agentOf, listOf, taskOf, textOf, type Happening } from "./event-parts.ts";
import { GUIDANCE_EVENTS, GUIDANCE_OPENERS, ask, outOfOrder, type Question } from "./guidance.ts";
import { DISPATCHES, INFRASTRUCTURE_STEPS, SOUND } from "./infrastructure.ts";
import { restart, reverify, type Break } from "./resume.ts";
import { impossible, type Broken, type Step } from "./rules.ts";
import { NEW_TASK, TASK_STEPS, wrong, type TaskState } from "./task.ts";
import { NO_WORKFLOW, proceed } from "./workflow.ts";

/** Holds each event against the life cycle of spec/003's coordinator. */
export interface CoordinatorOrder {
  /** The rule that the event breaks, at most one. `at`: its time in milliseconds since 1970. */
  next(event: Happening, at: number | undefined): Broken | undefined;
}

const NOBODY = "";
const NO_TASK = "";

const ABOUT_A_TASK: ReadonlySet<string> = new Set(
  COORDINATOR_TYPES.filter(({ details }) => Object.hasOwn(details.shape, "task_id")).map(({ name }) => name),
);
const RESUME = { task_restarted_on_resume: restart, task_reverification_required: reverify } as const;
const ANALYSIS: ReadonlySet<string> = new Set(["business_analyst_dispatched", "task_expanded", "expansion_needs_clarification"]);
const NEEDS_TASK: ReadonlySet<string> = new Set([...Object.keys(TASK_STEPS), ...Object.keys(RESUME), ...ANALYSIS]);
const NEEDS_AGENT: ReadonlySet<string> = new Set([...DISPATCHES, "health_audit_dispatched"]);
const EXPERT_RESULTS: ReadonlySet<string> = new Set(["expert_complete", "expert_failed", "expert_out_of_scope"]);

/**
 * A fold over the events of a log, in memory for as many tasks, open questions and delegations as it holds. What an event that is
 * found impossible would change stays as it was.
 */
export function createCoordinatorOrder(): CoordinatorOrder {
  const tasks = new Map<string, TaskState>();
  // By task, then by agent.
  const questions = new Map<string, Map<string, Question>>();
  const opened = new Set<string>();
  const delegations = new Set<string>();
  const analysed = new Set<string>();
  let workflow = NO_WORKFLOW;
  let infrastructure = SOUND;
  let compaction = NO_COMPACTION;
  let completed = 0;
  let first = true;
  let last: number | undefined;
  let beforeResume: number | undefined;

  // Takes a step, unless it is impossible, and says what is wrong with it.
  function take<State>(step: Step<State>, keep: (next: State) => void): Broken | undefined {
    if ("next" in step) keep(step.next as State);
    return step.broken;
  }

  function keepTask(id: string): (next: TaskState) => void {
    return (next) => {
      const was = tasks.get(id);
      completed += Number(next.status === "complete") - Number(was?.status === "complete");
      tasks.set(id, next);
    };
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

  function question(event: Happening): Broken | undefined {
    const task = taskOf(event) ?? NO_TASK;
    const agent = agentOf(event) ?? NOBODY;
    const ofTask = questions.get(task) ?? new Map<string, Question>();
    // Nobody in particular asks: it is the coordinator's own question.
    const step = ask(ofTask.get(agent), event, { opened: agent === NOBODY || opened.has(task) });
    return take(step, (next) => {
      if (event.event_type === "coordinator_prays") opened.delete(task);
      if (next === undefined) ofTask.delete(agent);
      else ofTask.set(agent, next);
      if (ofTask.size > 0) questions.set(task, ofTask);
      else questions.delete(task);
    });
  }

  function expert(event: Happening): Broken | undefined {
    const run = textOf(event, "run_id");
    if (event.event_type === "expert_delegated") {
      if (run !== undefined) delegations.add(run);
      return undefined;
    }
    if (run !== undefined && delegations.delete(run)) return undefined;
    const of = run === undefined ? "without a run" : `of run ${quote(run)}`;
    return { rule: "UNKNOWN_RUN_ID", message: `Unexpected ${event.event_type} ${of}, expected one that is delegated and open` };
  }

  function analyst(event: Happening, task: string): Broken | undefined {
    if (event.event_type === "business_analyst_dispatched") {
      analysed.add(task);
      return undefined;
    }
    if (event.event_type === "task_expanded" ? analysed.delete(task) : analysed.has(task)) return undefined;
    const message = `Unexpected ${event.event_type} of task ${quote(task)}, expected business_analyst_dispatched before it`;
    return { rule: "BA_OUT_OF_ORDER", message };
  }

  function work(event: Happening, id: string, at: number): Broken | undefined {
    const { event_type: type } = event;
    const pause: Break = { last_event: beforeResume ?? (workflow.partial ? undefined : last), partial: workflow.partial };
    const task = tasks.get(id);
    if (type === "task_restarted_on_resume" || type === "task_reverification_required") {
      return take(RESUME[type](task, event, pause), (next) => {
        if (task === undefined && type === "task_reverification_required")
          workflow = { ...workflow, before: Math.max(0, workflow.before - 1) };
        // Whoever asked about the task or analysed it is gone.
        questions.delete(id);
        analysed.delete(id);
        keepTask(id)(next);
      });
    }
    const agent = agentOf(event) ?? NOBODY;
    if (type === "developer_ready_for_review" && questions.get(id)?.has(agent) === true) {
      return outOfOrder(event, "agent_resumes_with_guidance before it, because a question is open").broken;
    }
    const step = TASK_STEPS[type]?.(task ?? NEW_TASK, event, at);
    return step === undefined ? undefined : take(step, keepTask(id));
  }

  function judge(event: Happening, at: number): Broken | undefined {
    const { event_type: type } = event;
    const malformed = form(event);
    if (malformed !== undefined) return malformed;
    const id = ABOUT_A_TASK.has(type) || NEEDS_TASK.has(type) ? taskOf(event) : undefined;
    const task = id === undefined ? undefined : tasks.get(id);
    if (task?.status === "complete" && !Object.hasOwn(RESUME, type)) {
      return wrong("TASK_ALREADY_COMPLETE", task, event, "nothing more about it").broken;
    }
    if (infrastructure.blocked && DISPATCHES.has(type)) {
      const message = `Unexpected ${type} of task ${quote(id ?? "")} while the infrastructure is blocked, expected infrastructure_restored before it`;
      return impossible("DISPATCH_WHILE_BLOCKED", message).broken;
    }
    if (GUIDANCE_EVENTS.has(type)) return question(event);
    if (type === "expert_delegated" || EXPERT_RESULTS.has(type)) return expert(event);
    if (Object.hasOwn(COMPACTION_STEPS, type)) {
      const step = COMPACTION_STEPS[type]?.(compaction, event);
      return step === undefined ? undefined : take(step, (next) => void (compaction = next));
    }
    if (Object.hasOwn(INFRASTRUCTURE_STEPS, type)) {
      const step = INFRASTRUCTURE_STEPS[type]?.(infrastructure, event);
      if (step === undefined) return undefined;
      return take(step, (next) => {
        infrastructure = next;
        if (type === "infrastructure_blocked") interrupt(event);
      });
    }
    if (id === undefined || !NEEDS_TASK.has(type)) return undefined;
    return ANALYSIS.has(type) ? analyst(event, id) : work(event, id, at);
  }

  // Who worked on a blocked task may be gone when it goes on.
  function interrupt(event: Happening): void {
    for (const name of listOf(event, "blocked_tasks")) {
      const task = typeof name === "string" ? tasks.get(name) : undefined;
      if (task !== undefined && task.status !== "complete") tasks.set(String(name), { ...task, again: true });
    }
  }

  return {
    next(event, time) {
      const at = time ?? last ?? 0;
      const ended = take(proceed(workflow, event, { completed, first }), (next) => void (workflow = next));
      first = false;
      if (event.event_type === "session_resumed") beforeResume = last;
      const broken = ended ?? judge(event, at);
      if (broken === undefined && GUIDANCE_OPENERS.has(event.event_type)) opened.add(taskOf(event) ?? NO_TASK);
      last = at;
      return broken;
    },
  };
}
