import { NO_COMPACTION, type CompactionState } from "./compaction.ts";
import type { Question } from "./guidance.ts";
import { SOUND, type InfrastructureState } from "./infrastructure.ts";
import type { Keyed } from "./keyed.ts";
import type { TaskState } from "./task.ts";

import { NO_WORKFLOW, type WorkflowState } from "./workflow.ts";

/** All that is remembered of one task, or of no task in particular. */
export interface TaskRecord {
  /** Where it stands; `null` where this log says nothing of it. */
  readonly life: TaskState | null;
  /** The open questions about it, by who asks. */
  readonly questions: Keyed<NonNullable<Question>>;
  /** The coordinator may ask a person by itself. */
  readonly opened: boolean;
  /** A business analyst is at work on it. */
  readonly analysed: boolean;
}

/** The life cycle of a coordinator's work after some events of a log: plain data, never changed. */
export interface CoordinatorState {
  /** Some event was recorded. */
  readonly begun: boolean;
  readonly workflow: WorkflowState;
  readonly infrastructure: InfrastructureState;
  readonly compaction: CompactionState;
  /** How many tasks this log shows complete. */
  readonly completed: number;
  /** When the last event was recorded, in milliseconds since 1970. */
  readonly last: number | null;
  /** The same of the event before the last resume. */
  readonly before_resume: number | null;
  /** By task; what concerns none in particular stands under the empty name. */
  readonly tasks: Keyed<TaskRecord>;
  /** The runs of experts that are delegated and open. */
  readonly delegations: Keyed<true>;
}

/** Nothing is known of it. */
export const NO_RECORD: TaskRecord = { life: null, questions: null, opened: false, analysed: false };

/** Nothing happened yet. */
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
