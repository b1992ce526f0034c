import type { Tree } from "@bylaw/log";
import { NO_COMPACTION, type CompactionState } from "./compaction.ts";
import type { Question } from "./guidance.ts";
import { SOUND, type InfrastructureState } from "./infrastructure.ts";
import type { TaskState } from "./task.ts";
import { NO_WORKFLOW, type WorkflowState } from "./workflow.ts";

/** The record of one task, or of events without a task. */
export interface TaskRecord {
  /** The state of the task; `null` if this log does not mention it. */
  readonly life: TaskState | null;
  /** The open questions about it, by agent. */
  readonly questions: Tree<NonNullable<Question>>;
  /** Whether the coordinator may ask a person on its own. */
  readonly opened: boolean;
  /** Whether a business analyst is working on it. */
  readonly analysed: boolean;
}

/** The state of a coordinator's work after some events of a log: immutable plain data. */
export interface CoordinatorState {
  /** Whether the log has an event. */
  readonly begun: boolean;
  readonly workflow: WorkflowState;
  readonly infrastructure: InfrastructureState;
  readonly compaction: CompactionState;
  /** The number of tasks that this log shows complete. */
  readonly completed: number;
  /** When the last event was recorded, in milliseconds since 1970. */
  readonly last: number | null;
  /** The time of the event before the last resume. */
  readonly before_resume: number | null;
  /** By task. Events without a task are under the empty name. */
  readonly tasks: Tree<TaskRecord>;
  /** The expert runs that are delegated and still open. */
  readonly delegations: Tree<true>;
}

/** The record of a task that the log does not mention. */
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
