/** What a host does when it is told that a person must be asked: asks one (and denies where nobody is there), runs the call, or waits. */
export type AskOutcome = "asks" | "runs" | "waits";

/** Whether a call runs although its hook failed. `waits`: it does not, and the host waits until the hook ends. */
export type FailureOutcome = "blocks" | "runs" | "waits";

/** What a host can say and how it fails, as measured with the real program. */
export interface HostCapabilities {
  /** The version that was measured. */
  readonly version: string;
  readonly ask: AskOutcome;
  /** Whether the host accepts an explicit allow, which skips its own question. */
  readonly allow: boolean;
  /** Whether it tells the exit code of a command, and of which call. Without it no command counts as passed. */
  readonly exit_code: boolean;
  /** What happens to the call when the installed hook fails. */
  readonly failures: {
    readonly exit_1: FailureOutcome;
    readonly killed: FailureOutcome;
    readonly missing: FailureOutcome;
    readonly timeout: FailureOutcome;
    readonly not_json: FailureOutcome;
  };
  /** What happens to the call when a file of the project switches hooks off. */
  readonly project_off: FailureOutcome;
  /** Whether an administrator can install the hook where no project file switches it off. */
  readonly managed: boolean;
  /** Whether it reads settings with comments. Where it does not, it skips such a file without a word. */
  readonly comments: boolean;
  /** How many refusals of a stop the host itself accepts in a row; `null`: no limit. */
  readonly stop_cap: number | null;
  /** Milliseconds that the host waits for our hook. */
  readonly timeout_ms: number;
}
