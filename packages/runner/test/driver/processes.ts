import { spawn, type ChildProcess } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { freePort, printedLines, temporaryFolder } from "@bylaw/testing";
import { build } from "rolldown";
import type { RestateServer } from "./restate-server.ts";
import type { Place } from "./kit.ts";

/** Bundles the worker into one file, because it starts some 60 times and its packages have hundreds of files. */
export async function bundleWorker(): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, "child.js");
  symlinkSync(join(import.meta.dirname, "../../../../node_modules"), join(folder, "node_modules"));
  await build({
    input: join(import.meta.dirname, "child.ts"),
    platform: "node",
    external: [/^@dbos-inc\//, /^@restatedev\//],
    output: { file, codeSplitting: false },
    logLevel: "silent",
  });
  return file;
}

/** A worker in a child process. */
export interface WorkerProcess {
  /** Its name in the log. */
  readonly name: string;
  readonly process: ChildProcess;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Rejects if it ended with a failure. */
  readonly ended: Promise<void>;
  /** Asks it to end, and waits until it has. */
  close(): Promise<void>;
}

/** A lease for workers that others must take over from soon. On a loaded machine, even a live worker may lose it. */
export const SHORT_LEASE = { lease_ms: 1_000 } as const;

/** The settings that the workers of a test share. */
export interface WorkerSettings {
  /** Default: longer than any test takes. */
  readonly lease_ms?: number;
  readonly reconcile_ms?: number;
  readonly concurrency?: number;
}

interface WorkerProcessOptions {
  readonly script: string;
  readonly restate?: RestateServer | undefined;
}

/** Starts workers, and ends all that are left. */
export function workersAt(place: Place, { script, restate }: WorkerProcessOptions) {
  const all = new Set<WorkerProcess>();
  let count = 0;
  let ends = 0;

  async function start({
    lease_ms = 600_000,
    reconcile_ms = 200,
    concurrency = 2,
  }: WorkerSettings = {}): Promise<WorkerProcess> {
    count += 1;
    const endsBefore = ends;
    const port = restate === undefined ? undefined : await freePort();
    const name = `w${count}`;
    const setup = { ...place, worker: name, lease_ms, reconcile_ms, concurrency, port };
    const child = spawn(process.execPath, [script, JSON.stringify(setup)], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, RESTATE_LOGGING: "ERROR" },
    });
    const {
      lines,
      said,
      ended: gone,
    } = printedLines(child, (line) => JSON.parse(line) as Record<string, unknown>);
    let told = "";
    child.stderr.on(
      "data",
      (chunk: Uint8Array) => (told = `${told}${String(chunk)}`.slice(-4_000)),
    );
    const ended = gone.then((how) => {
      if (port !== undefined) restate?.workers.delete(port);
      if (typeof how === "number" && how !== 0)
        throw new Error(`The worker ended with ${how} and said: ${told}`);
    });
    ended.catch(() => {});
    const worker: WorkerProcess = {
      ...{ name, process: child, lines, ended },
      async close() {
        child.stdin.end();
        await ended;
      },
    };
    all.add(worker);
    // All workers were ended while this one looked for a port.
    if (ends > endsBefore) child.kill("SIGKILL");
    if (port !== undefined) restate?.workers.add(port);
    await Promise.race([said(({ up }) => up === true), ended]);
    return worker;
  }

  return {
    start,
    async end(): Promise<void> {
      ends += 1;
      for (const { process: child } of all) {
        child.kill("SIGCONT");
        child.kill("SIGKILL");
      }
      await Promise.allSettled([...all].map(({ ended }) => ended));
      all.clear();
    },
  };
}
