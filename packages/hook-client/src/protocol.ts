/** The output and exit code of a hook. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** The most bytes that an event may have. */
export const EVENT_LIMIT_BYTES = 16 * 1_048_576;

/** The most time that the engine takes for one event, in milliseconds, including loading the configuration. */
export const ENGINE_TIMEOUT_MS = 8_000;

/** The status of an engine that cannot answer an event. The hook then decides it in a process of its own. */
export const STATUS_UNANSWERED = 503;

/** Separates the fields of a request from the event, which follows unencoded. Fields are percent-encoded, so they contain no `&`. */
export const EVENT_MARK = "&input&";

/** The environment variables of a hook that influence the answer. */
export const PASSED_VARIABLES = [
  "CLAUDE_PROJECT_DIR",
  "CLAUDE_CONFIG_DIR",
  "GEMINI_PROJECT_DIR",
  "CODEX_HOME",
  "PI_CODING_AGENT_DIR",
  "XDG_CONFIG_HOME",
  "ProgramFiles",
] as const;
