import type { Containment } from "./contain.ts";
import type { Limits } from "./limits.ts";
import type { OutputLimit, Output } from "./output.ts";

/** What is started. */
export interface ProgramStart {
  /** The program and its arguments, as they are: no shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /**
   * All of its environment; see `programEnvironment`. One variable, which marks what it starts,
   * comes on top.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which it is ended. */
  readonly timeoutMs: number;
  /** Bytes of output, both streams together, after which it is ended. Default: 256 MiB. */
  readonly maxOutput?: number | undefined;
  /** What is kept of its output. Default: the first MiB of each stream. */
  readonly keep?: { readonly stdout?: OutputLimit; readonly stderr?: OutputLimit };
  /** Text for its standard input. Default: none. */
  readonly stdin?: string | undefined;
  /** What it may take. */
  readonly limits?: Limits | undefined;
  /**
   * Where `canContain(cwd)`, it sees no process but those that it starts, nothing of those outlives
   * it, and what is hidden is empty. An exit code of 129 to 159 is then told as the signal that a
   * shell means by it, also where the program itself ended so.
   */
  readonly contain?: Containment | undefined;
  /** Ends it, and makes the call reject with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is told what it prints, piece by piece, in whole characters. */
  readonly onOutput?: ((name: "stdout" | "stderr", text: string) => void) | undefined;
}

/** How it ended. */
export interface ProgramEnd {
  /** `null` where a signal ended it, or it never began. */
  readonly exit_code: number | null;
  /** The name of the signal that ended it. */
  readonly signal: string | null;
  readonly timed_out: boolean;
  /** It was ended because it wrote too much. */
  readonly overflowed: boolean;
  readonly duration_ms: number;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Why it could not be started, in one line. */
  readonly error: string | null;
}
