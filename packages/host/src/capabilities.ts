/** What a host does when it is told that a person must be asked: asks one (and denies where nobody is there), runs the call, or waits. */
export type AskOutcome = "asks" | "runs" | "waits";

/** Whether a call runs although its hook failed. */
export type FailureOutcome = "blocks" | "runs";

/** What a host can say and how it fails, as measured with the real program. */
export interface HostCapabilities {
  /** The version that was measured. */
  readonly version: string;
  readonly ask: AskOutcome;
  /** Whether an allow can be said alone. It skips the host's own question. */
  readonly allow: boolean;
  /** What becomes of the call when the hook, installed as we install it, fails. */
  readonly failures: {
    readonly exit_1: FailureOutcome;
    readonly killed: FailureOutcome;
    readonly missing: FailureOutcome;
    readonly timeout: FailureOutcome;
    readonly not_json: FailureOutcome;
  };
  /** How many refusals of a stop the host itself accepts in a row; `null`: no limit. */
  readonly stop_cap: number | null;
  /** Milliseconds after which the host gives up on a hook, as we install it. */
  readonly timeout_ms: number;
}
