/** The actions that an agent may request of its workflow. */
export const BEHAVIOR_ACTIONS = [
  "loop",
  "trigger",
  "checkpoint",
  "continue",
  "stop",
  "vibecheck",
] as const;

/** One of {@link BEHAVIOR_ACTIONS}. */
export type BehaviorActionName = (typeof BEHAVIOR_ACTIONS)[number];

/** A request to steer a workflow, as its author wrote it. */
export interface BehaviorAction {
  readonly action: BehaviorActionName;
  readonly reason: string | null;
  /** The agent that a trigger calls. */
  readonly triggerAgentId: string | null;
  /** The step in which it was written. Null means the current step. */
  readonly step: string | null;
  /** The run in which it was written. Null means the run that reads it. */
  readonly run: string | null;
  /** Unknown keys, each with the nearest known one, if any. */
  readonly ignored: readonly { readonly key: string; readonly near: string | undefined }[];
}
