/** What a host does if it is told to ask a person: it asks (and denies if nobody is there), runs the call, or waits forever. */
export type AskOutcome = "asks" | "runs" | "waits";

/** What a host does with a call whose hook failed. `waits`: the call does not run, and the host waits until the hook ends. */
export type FailureOutcome = "blocks" | "runs" | "waits";

/** What a host supports and how it fails, as measured with the real program. */
export interface HostCapabilities {
  /** The version that was measured. */
  readonly version: string;
  readonly ask: AskOutcome;
  /** Whether the host accepts an explicit allow, which skips its own question. */
  readonly allow: boolean;
  /** Whether the host can be told, along with a deny, to end the agent's turn. Some hosts would run the call. */
  readonly halts: boolean;
  /** The tools that the host can run with other arguments than the model gave. */
  readonly rewrites: "all" | readonly string[];
  /** Whether the host reports the exit code of a command, and to which call it belongs. Without it, no command counts as passed. */
  readonly exit_code: boolean;
  /** The host's names of the events that it reports of a session besides calls, and that are recorded. */
  readonly session_events: readonly string[];
  /** What happens to the call when the installed hook fails. */
  readonly failures: {
    readonly exit_1: FailureOutcome;
    readonly killed: FailureOutcome;
    readonly missing: FailureOutcome;
    readonly timeout: FailureOutcome;
    readonly not_json: FailureOutcome;
  };
  /** What happens to the call if a file of the project switches hooks off. */
  readonly project_off: FailureOutcome;
  /** Whether an administrator can install the hook where no project file can switch it off. */
  readonly managed: boolean;
  /** Whether the host reads settings with comments. If not, it silently skips such a file. No host reads trailing commas. */
  readonly comments: boolean;
  /** How many refusals of a stop in a row the host accepts. Null means no limit. */
  readonly stop_cap: number | null;
  /** How long the host waits for the hook, in milliseconds. */
  readonly timeout_ms: number;
}
