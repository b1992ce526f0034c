import { runProgram, type Output, type ProgramStart } from "@bylaw/process";

/** The output of one stream. */
type Stream = Pick<Output, "digest" | "bytes">;

/** How a program or function ended. */
export interface ProgramResult {
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

// The bytes of an output that are kept in memory. The digest covers all of it.
const KEPT_OUTPUT = 1_048_576;

// The bytes that are kept of the end of stderr.
const KEPT_ERRORS = 65_536;

/** The output of a program, as far as it is kept. */
export interface CommandRun {
  readonly ended: ProgramResult;
  /** `null` if the output is longer than what is kept. */
  readonly text: string | null;
  /** Both outputs, as far as they are kept. */
  readonly printed: string;
}

/**
 * Runs a program of a step to its end, like `runProgram` of the process package. A program that
 * cannot be started ends with an `error`. Throws the reason of an aborted signal.
 */
export async function runCommand(start: CommandStart): Promise<CommandRun> {
  // An agent may talk for hours, so only this much of its output is kept.
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
