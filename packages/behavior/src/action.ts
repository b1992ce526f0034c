/** What an agent may ask of its workflow. */
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
  /** Whom a trigger is for. */
  readonly triggerAgentId: string | null;
  /** The step that it was written in; `null`: the step that is at work. */
  readonly step: string | null;
  /** The run that it was written in; `null`: the run that reads it. */
  readonly run: string | null;
  /** Keys that mean nothing, each with what its author may have meant, if anything is near. */
  readonly ignored: readonly { readonly key: string; readonly near: string | undefined }[];
}
