import { existsSync } from "node:fs";

/** What a program may take, and each that it starts. Left out: as much as this process may. */
export interface Limits {
  /** Bytes of memory of its own. */
  readonly memory?: number;
  /** Bytes of a file that it writes. */
  readonly file?: number;
  /** Seconds of processor time. */
  readonly cpu?: number;
  /** Open files. */
  readonly files?: number;
  /**
   * Processes and threads at once, of all together. Only where it is contained, and not for root.
   */
  readonly processes?: number;
}

// By its path: what the path of the environment finds is not asked.
const prlimit = (): string | undefined =>
  ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => existsSync(path));

/** Whether this system can limit what a program takes. */
export const canLimit = (): boolean => prlimit() !== undefined;

/**
 * The arguments that start a program under the limit of all that it starts, which is counted where
 * it is contained.
 */
export function withProcesses(argv: readonly string[], { processes }: Limits): readonly string[] {
  const program = prlimit();
  return program === undefined || processes === undefined
    ? argv
    : [program, `--nproc=${processes}`, "--", ...argv];
}

/**
 * The arguments that start a program under limits. Where the system has no `prlimit` they stay as
 * they are.
 */
export function withLimits(argv: readonly string[], limits: Limits): readonly string[] {
  const program = prlimit();
  if (program === undefined) return argv;
  const { memory, file, cpu, files } = limits;
  // Address space is what some reserve without using it: only what a program may write to is
  // counted.
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
