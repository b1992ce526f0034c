import { existsSync } from "node:fs";

/**
 * The limits of a program and of each program that it starts. A limit that is left out is that of
 * this process.
 */
export interface Limits {
  /** Private memory, in bytes. */
  readonly memory?: number;
  /** The largest file that it may write, in bytes. */
  readonly file?: number;
  /** Processor time, in seconds. */
  readonly cpu?: number;
  /** Open files. */
  readonly files?: number;
  /**
   * Processes and threads that may exist at once, of all programs together. Only for contained
   * programs, and not for root.
   */
  readonly processes?: number;
}

// By its path, because PATH may lead to another program.
const prlimit = (): string | undefined =>
  ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => existsSync(path));

/** Whether this system can limit programs. */
export const canLimit = (): boolean => prlimit() !== undefined;

/**
 * The arguments that start a program with a limit on the number of its processes. Only for
 * contained programs, whose processes are counted apart.
 */
export function withProcesses(argv: readonly string[], { processes }: Limits): readonly string[] {
  const program = prlimit();
  return program === undefined || processes === undefined
    ? argv
    : [program, `--nproc=${processes}`, "--", ...argv];
}

/** The arguments that start a program with limits. Unchanged if the system has no `prlimit`. */
export function withLimits(argv: readonly string[], limits: Limits): readonly string[] {
  const program = prlimit();
  if (program === undefined) return argv;
  const { memory, file, cpu, files } = limits;
  // Only memory that a program can write to counts, because some programs reserve address space
  // without using it.
  const said = [
    ["--data", memory],
    ["--fsize", file],
    ["--cpu", cpu],
    ["--nofile", files],
  ] as const;
  const flags = said.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${Math.max(1, Math.floor(value))}`],
  );
  return flags.length === 0 ? argv : [program, "--core=0", ...flags, "--", ...argv];
}
