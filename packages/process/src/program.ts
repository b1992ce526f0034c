import type { Containment } from "./contain.ts";
import type { Limits } from "./limits.ts";
import type { OutputLimit, Output } from "./output.ts";

/** The program to start, and its limits. */
export interface ProgramStart {
  /** The program and its arguments. No shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /**
   * The whole environment; see `programEnvironment`. One more variable marks the processes that it
   * starts.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which it is ended. */
  readonly timeoutMs: number;
  /** Bytes of output, of both streams together, after which it is ended. Default: 256 MiB. */
  readonly maxOutput?: number | undefined;
  /** The output to keep. Default: the first MiB of each stream. */
  readonly keep?: { readonly stdout?: OutputLimit; readonly stderr?: OutputLimit };
  /** Text for its standard input. Default: none. */
  readonly stdin?: string | undefined;
  /** The limits of the program. */
  readonly limits?: Limits | undefined;
  /**
   * How to contain the program, if `canContain(cwd)`. It then sees only processes that it started,
   * none of them outlives it, and hidden places are empty. An exit code from 129 to 159 is reported
   * as the signal that it means in a shell, even if the program itself exited with it.
   */
  readonly contain?: Containment | undefined;
  /** Ends the program. The call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the output as it comes, in whole characters. */
  readonly onOutput?: ((name: "stdout" | "stderr", text: string) => void) | undefined;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Null if a signal ended it, or if it did not start. */
  readonly exit_code: number | null;
  /** The name of the signal that ended it. */
  readonly signal: string | null;
  readonly timed_out: boolean;
  /** Whether it was ended because it printed too much. */
  readonly overflowed: boolean;
  readonly duration_ms: number;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The reason why it could not be started, in one line. */
  readonly error: string | null;
}
