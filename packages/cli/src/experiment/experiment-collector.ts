import { COMPLETED_PHASE } from "@bylaw/contract";
import { isJsonObject, type LogEvent } from "@bylaw/kernel";
import { asksPerson } from "@bylaw/log";
import { EXPERIMENT_ASSIGNED, type Variant } from "@bylaw/log/experiment";
import { OpenQuestions } from "../report/open-questions.ts";
import type { RunsReader } from "../report/read-runs.ts";
import type { Unit } from "./comparison.ts";

/** One experiment in the logs that were read. */
export interface FoundExperiment {
  readonly units: Readonly<Record<Variant, Unit[]>>;
  /** The digests of what each version decided by. Several if its files changed meanwhile. */
  readonly digests: Readonly<Record<Variant, Set<string>>>;
}

/** The figures of one task, or of the part of a run that belongs to no task. */
type Growing = { -readonly [Name in keyof Unit]: Unit[Name] } & Record<
  "blocked" | "escalations" | "questions" | "denials",
  number
>;

/** One task of the run that is read, in one experiment. */
interface Assigned {
  readonly unit: Growing;
  /** When the task was claimed first, in milliseconds since 1970. */
  readonly begun: number | undefined;
}

const ESCALATIONS: ReadonlySet<string> = new Set(["task_escalated", "gate_escalated"]);

/**
 * Counts what happened to the tasks of experiments. With `runs`, each task has the version of its run instead, under the name "".
 * Memory grows with the number of tasks.
 */
export class ExperimentCollector implements RunsReader {
  /** The runs that were read. */
  readonly begun = new Set<string>();
  readonly found = new Map<string, FoundExperiment>();
  readonly #runs: ReadonlyMap<string, Variant> | undefined;
  #run: Variant | undefined;
  /** What is counted for each task, or for none under "". */
  #assigned = new Map<string, Map<string, Assigned>>();
  #claimed = new Map<string, number>();
  #questions = new OpenQuestions<true>();

  constructor(runs?: ReadonlyMap<string, Variant>) {
    this.#runs = runs;
  }

  begin(run: string): void {
    this.begun.add(run);
    this.#run = this.#runs?.get(run);
    this.#assigned = new Map();
    this.#claimed = new Map();
    this.#questions = new OpenQuestions();
  }

  add(event: LogEvent): void {
    const { event_type, task_id, timestamp } = event;
    if (event_type === "task_claimed" && task_id !== null && !this.#claimed.has(task_id))
      this.#claimed.set(task_id, Date.parse(timestamp));
    if (this.#runs !== undefined) this.#assignByRun(event);
    else if (event_type === EXPERIMENT_ASSIGNED) this.#assignByEvent(event);
    const isNew = asksPerson(event) && this.#isNewQuestion(event);
    for (const assigned of this.#assigned.get(task_id ?? "")?.values() ?? [])
      count(assigned, event, isNew);
    if (event_type === "approval_granted" || event_type === "approval_refused")
      this.#questions.answered(event);
  }

  #isNewQuestion(event: LogEvent): boolean {
    let isNew = false;
    this.#questions.ask(event, () => (isNew = true));
    return isNew;
  }

  #assignByEvent({ task_id, details }: LogEvent): void {
    const { experiment, variant, digests } = details;
    if (typeof experiment !== "string" || (variant !== "a" && variant !== "b")) return;
    const found = this.#assign(experiment, task_id, variant);
    if (found === undefined || !isJsonObject(digests)) return;
    for (const version of ["a", "b"] as const) found.digests[version].add(String(digests[version]));
  }

  // Work that belongs to no task is compared only by an experiment that assigned the run.
  #assignByRun({ task_id }: LogEvent): void {
    if (this.#run !== undefined && task_id !== null) this.#assign("", task_id, this.#run);
  }

  #assign(name: string, task: string | null, variant: Variant): FoundExperiment | undefined {
    const assigned = this.#assigned.get(task ?? "") ?? new Map<string, Assigned>();
    if (assigned.has(name)) return undefined;
    const found = this.found.get(name) ?? noUnits();
    const unit: Growing = { blocked: 0, escalations: 0, questions: 0, denials: 0 };
    if (task !== null) unit.completed = 0;
    found.units[variant].push(unit);
    assigned.set(name, { unit, begun: task === null ? undefined : this.#claimed.get(task) });
    this.#assigned.set(task ?? "", assigned);
    this.found.set(name, found);
    return found;
  }
}

const noUnits = (): FoundExperiment => ({
  units: { a: [], b: [] },
  digests: { a: new Set(), b: new Set() },
});

function count({ unit, begun }: Assigned, event: LogEvent, isNewQuestion: boolean): void {
  const { event_type, timestamp, details } = event;
  if (isNewQuestion) unit.questions += 1;
  else if (event_type === "tool_denied" && !asksPerson(event)) unit.denials += 1;
  else if (event_type === "transition_blocked") unit.blocked += 1;
  else if (ESCALATIONS.has(event_type)) unit.escalations += 1;
  else if (event_type === "phase_entered" && details["to"] === COMPLETED_PHASE) {
    unit.completed = 1;
    // A clock that was set back must not make a time negative.
    if (begun !== undefined) unit.time = Math.max(0, Date.parse(timestamp) - begun) / 1_000;
  }
}
