import { COMPLETED_PHASE } from "@bylaw/contract";
import { isJsonObject, type LogEvent } from "@bylaw/kernel";
import { asksPerson, OpenQuestions } from "@bylaw/log";
import { EXPERIMENT_ASSIGNED, type Variant } from "@bylaw/log/experiment";
import type { Unit } from "./figures.ts";
import type { FoundExperiments } from "./found-experiments.ts";

/** The figures of one task, or of the part of a run that belongs to no task. */
type Growing = { -readonly [Name in keyof Unit]: Unit[Name] } & Record<
  "blocked" | "escalations" | "questions" | "denials",
  number
>;

/** One task of the run, in one experiment. */
interface Assigned {
  readonly unit: Growing;
  /** When the task was claimed first, in milliseconds since 1970. */
  readonly begun: number | undefined;
}

const ESCALATIONS: ReadonlySet<string> = new Set(["task_escalated", "gate_escalated"]);

interface RunTasksOptions {
  readonly found: FoundExperiments;
  /** The version of all tasks of the run, under the name "". Left out: that which was recorded. */
  readonly variant?: Variant | undefined;
  /** How many tasks can still change, those that began last. Default: all. */
  readonly most?: number;
}

/** Counts what happens to the tasks of one run that are in experiments. */
export class RunTasks {
  readonly #found: FoundExperiments;
  readonly #variant: Variant | undefined;
  readonly #most: number;
  /** What is counted for each task, or for none under "", by experiment. */
  readonly #assigned = new Map<string, Map<string, Assigned>>();
  readonly #claimed = new Map<string, number>();
  readonly #questions = new OpenQuestions<true>();

  constructor({ found, variant, most = Infinity }: RunTasksOptions) {
    this.#found = found;
    this.#variant = variant;
    this.#most = most;
  }

  /** Adds the next event. Returns whether it changed a figure. */
  add(event: LogEvent): boolean {
    const { event_type, task_id, timestamp } = event;
    if (event_type === "task_claimed" && task_id !== null && !this.#claimed.has(task_id))
      this.#keep(this.#claimed, task_id, Date.parse(timestamp));
    const isAssigned =
      this.#variant === undefined
        ? event_type === EXPERIMENT_ASSIGNED && this.#assignByEvent(event)
        : // Work that belongs to no task is compared only by an experiment that assigned the run.
          task_id !== null && this.#assign("", task_id, this.#variant);
    if (event_type === "approval_granted" || event_type === "approval_refused")
      this.#questions.answered(event);
    const assigned = this.#assigned.get(task_id ?? "");
    if (assigned === undefined) return false;
    const isNew = asksPerson(event) && this.#isNewQuestion(event);
    let isCounted = false;
    for (const one of assigned.values()) isCounted = count(one, event, isNew) || isCounted;
    return isAssigned || isCounted;
  }

  #isNewQuestion(event: LogEvent): boolean {
    let isNew = false;
    this.#questions.ask(event, () => (isNew = true));
    return isNew;
  }

  #assignByEvent({ task_id, details }: LogEvent): boolean {
    const { experiment, variant, digests } = details;
    if (typeof experiment !== "string" || (variant !== "a" && variant !== "b")) return false;
    if (!this.#assign(experiment, task_id, variant)) return false;
    if (isJsonObject(digests)) this.#found.use(experiment, digests);
    return true;
  }

  #assign(name: string, task: string | null, variant: Variant): boolean {
    const assigned = this.#assigned.get(task ?? "") ?? new Map<string, Assigned>();
    if (assigned.has(name)) return false;
    const unit: Growing = { blocked: 0, escalations: 0, questions: 0, denials: 0 };
    if (task !== null) unit.completed = 0;
    this.#found.add(name, variant, unit);
    assigned.set(name, { unit, begun: task === null ? undefined : this.#claimed.get(task) });
    this.#keep(this.#assigned, task ?? "", assigned);
    return true;
  }

  #keep<Value>(tasks: Map<string, Value>, task: string, value: Value): void {
    tasks.set(task, value);
    if (tasks.size > this.#most) tasks.delete(tasks.keys().next().value ?? "");
  }
}

function count({ unit, begun }: Assigned, event: LogEvent, isNewQuestion: boolean): boolean {
  const { event_type, timestamp, details } = event;
  if (isNewQuestion) unit.questions += 1;
  else if (event_type === "tool_denied" && !asksPerson(event)) unit.denials += 1;
  else if (event_type === "transition_blocked") unit.blocked += 1;
  else if (ESCALATIONS.has(event_type)) unit.escalations += 1;
  else if (event_type === "phase_entered" && details["to"] === COMPLETED_PHASE) {
    unit.completed = 1;
    // A clock that was set back must not make a time negative.
    if (begun !== undefined) unit.time = Math.max(0, Date.parse(timestamp) - begun) / 1_000;
  } else return false;
  return true;
}
