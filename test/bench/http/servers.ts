// Servers in their own processes, and the processor time that they use.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { listensAt } from "../bench-kit.ts";

/** A running server. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const ECHO = fileURLToPath(import.meta.resolve("./echo.ts"));
/** The built `bylaw` program. */
export const BYLAW = fileURLToPath(import.meta.resolve("../../../packages/cli/bin/bylaw.js"));

export const ENROL = "the-secret-that-agents-enrol-with-here";
export const OPERATOR = "the-token-of-the-operator-of-this-server";

/** The secrets in the server's environment. */
export const SECRETS = {
  BYLAW_ENROL_SECRET: ENROL,
  BYLAW_OPERATOR_TOKEN: OPERATOR,
  BYLAW_JWT_SECRET: "a secret of this benchmark that is long enough",
};

export const startEcho = (): Promise<Server> => start([ECHO], {});

/** Starts `bylaw serve` with a file of settings, in the folder of that file. */
export const startBylaw = (settings: string): Promise<Server> =>
  start(
    [BYLAW, "serve", "--settings", settings, "--allow-root", "--json"],
    SECRETS,
    dirname(settings),
  );

async function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): Promise<Server> {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    url: await listensAt(child),
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

interface Process {
  readonly name: string;
  readonly parent: number;
  /** Processor time in microseconds, including children that have ended. */
  readonly cpu: number;
}

/** Linux counts processor time in hundredths of a second. */
const TICK_US = 10_000;

function processOf(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return {
      name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
      parent: Number(fields[1]),
      cpu: ticks * TICK_US,
    };
  } catch {
    return undefined;
  }
}

/**
 * Microseconds of processor time that each process has used so far. A process that has ended, or that the system does not report, has no
 * entry.
 */
export function cpuOf(pids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(
    pids.flatMap((pid) => {
      const found = processOf(pid);
      return found === undefined ? [] : [[pid, found.cpu] as const];
    }),
  );
}

/** The process ids of the PostgreSQL that this process has started, with all its children. */
export function databaseProcesses(): readonly number[] {
  if (process.platform !== "linux") return [];
  const all = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const found = processOf(Number(name));
        return found === undefined ? [] : [[Number(name), found] as const];
      }),
  );
  const main = [...all].find(
    ([, { name, parent }]) => name === "postgres" && parent === process.pid,
  )?.[0];
  return main === undefined
    ? []
    : [main, ...[...all].flatMap(([pid, { parent }]) => (parent === main ? [pid] : []))];
}

/** Megabytes of memory that a process holds. */
export function memoryOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? Number.NaN) / 1_024;
}
