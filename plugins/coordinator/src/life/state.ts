import type { Tree } from "@bylaw/log";
import { NO_COMPACTION, type CompactionState } from "./compaction.ts";
import type { Question } from "./guidance.ts";
import { SOUND, type InfrastructureState } from "./infrastructure.ts";
import type { TaskState } from "./task.ts";
import { NO_WORKFLOW, type WorkflowState } from "./workflow.ts";

/** The record of one task, or of no task in particular. */
export interface TaskRecord {
  /** Its state; `null` where this log does not mention it. */
  readonly life: TaskState | null;
  /** The open questions about it, by agent. */
  readonly questions: Tree<NonNullable<Question>>;
  /** The coordinator may ask a person on its own. */
  readonly opened: boolean;
  /** A business analyst is at work on it. */
  readonly analysed: boolean;
}

/** A coordinator's work after some events of a log: immutable plain data. */
export interface CoordinatorState {
  /** The log has an event. */
  readonly begun: boolean;
  readonly workflow: WorkflowState;
  readonly infrastructure: InfrastructureState;
  readonly compaction: CompactionState;
  /** How many tasks this log shows complete. */
  readonly completed: number;
  /** When the last event was recorded, in milliseconds since 1970. */
  readonly last: number | null;
  /** The time of the event before the last resume. */
  readonly before_resume: number | null;
  /** By task. What concerns no task in particular is under the empty name. */
  readonly tasks: Tree<TaskRecord>;
  /** The expert runs that are delegated and open. */
  readonly delegations: Tree<true>;
}

/** The log does not mention the task. */
export const NO_RECORD: TaskRecord = {
  life: null,
  questions: null,
  opened: false,
  analysed: false,
};

export const NO_COORDINATOR: CoordinatorState = {
  begun: false,
  workflow: NO_WORKFLOW,
  infrastructure: SOUND,
  compaction: NO_COMPACTION,
  completed: 0,
  last: null,
  before_resume: null,
  tasks: null,
  delegations: null,
};
