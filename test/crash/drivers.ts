import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CrashReport } from "@bylaw/testing";

const ROOT = join(import.meta.dirname, "../..");

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

// One round of the suite kills some 80 workers.
const ROUNDS_IN_ONE = 100;

/**
 * Runs the crash suite of the drivers: with each driver, it kills workers at every event of a workflow, and also the workers that
 * take over.
 */
export async function crashDrivers(folder: string, rounds: number): Promise<CrashReport> {
  const output = join(folder, "report.json");
  const tally = join(folder, "tally.txt");
  const args = [
    "run",
    "--project",
    "packages/runner",
    "drivers",
    "--reporter",
    "json",
    "--outputFile",
    output,
  ];
  const child = spawn(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), ...args], {
    ...{ cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] },
    env: {
      ...process.env,
      BYLAW_CRASH_ROUNDS: String(Math.ceil(rounds / ROUNDS_IN_ONE)),
      BYLAW_CRASH_TALLY: tally,
    },
  });
  const stop = (): void => void child.kill("SIGTERM");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  await once(child, "close");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, stop);
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const faults = results.flatMap(({ fullName, failureMessages }) =>
    failureMessages.map((message) => `${fullName}: ${message}`),
  );
  const totals = existsSync(tally) ? readFileSync(tally, "utf8").trim().split("\n") : [];
  const sum = (column: number): number =>
    totals.reduce((total, line) => total + Number(line.split(" ")[column]), 0);
  return { rounds, kills: sum(0), events: sum(1), acknowledged: sum(2), unacknowledged: 0, faults };
}
