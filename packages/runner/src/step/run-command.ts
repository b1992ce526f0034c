import { runProgram, type Output, type ProgramStart } from "@bylaw/process";

/** What one stream carried. */
type Stream = Pick<Output, "digest" | "bytes">;

/** How a program ended, or a function. */
export interface Ended {
  readonly ok: boolean;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly error: string | null;
}

export type CommandStart = Pick<
  ProgramStart,
  "argv" | "cwd" | "env" | "timeoutMs" | "signal" | "onOutput"
> & { readonly stdin: string };

// Bytes of an output that are kept in memory; its digest is of all of it.
const KEPT_OUTPUT = 1_048_576;

// The end of what it said beside that.
const KEPT_ERRORS = 65_536;

/** What a program printed, as much as is kept. */
export interface CommandRun {
  readonly ended: Ended;
  /** `null` where it is more than is kept. */
  readonly text: string | null;
  /** Both outputs, as much as is kept of each. */
  readonly printed: string;
}

/**
 * Runs a program of a step to its end, as `runProgram` of the process package does. A program that
 * cannot be started is an end with an `error`. Throws the reason of an aborted signal.
 */
export async function runCommand(start: CommandStart): Promise<CommandRun> {
  // An agent may talk for hours; of what it says only this much is kept.
  const end = await runProgram({
    ...start,
    maxOutput: Infinity,
    keep: { stdout: { first: KEPT_OUTPUT }, stderr: { last: KEPT_ERRORS } },
  });
  const { exit_code, signal, timed_out, duration_ms, error } = end;
  const ok = exit_code === 0 && !timed_out;
  const ended = {
    ok,
    exit_code,
    signal,
    timed_out,
    duration_ms,
    stdout: streamOf(end.stdout),
    stderr: streamOf(end.stderr),
    error,
  };
  return {
    ended,
    text: end.stdout.cut ? null : end.stdout.text,
    printed: `${end.stdout.text}\n${end.stderr.text}`,
  };
}

const streamOf = ({ digest, bytes }: Output): Stream => ({ digest, bytes });
