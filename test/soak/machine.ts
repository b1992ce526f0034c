import { readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Site } from "../e2e/orchestrator-kit.ts";

const linux = process.platform === "linux";

/** Resident memory of a process in MiB; `NaN` if the system does not say. */
export function memoryOf(pid: number): number {
  if (!linux) return Number.NaN;
  return (
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024
  );
}

/** Open file descriptors of a process; `NaN` if the system does not say. */
export function descriptorsOf(pid: number): number {
  return linux ? readdirSync(`/proc/${pid}/fd`).length : Number.NaN;
}

/** The command lines of processes that work in a folder, other than the server itself, after they had some time to end. */
export async function strayProcesses(
  folder: string,
  server: number,
  attempts = ATTEMPTS,
): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const found = linux ? processesIn(folder).filter((pid) => pid !== server) : [];
    if (found.length === 0 || attempt >= attempts) return found.map(commandOf);
    await sleep(100);
  }
}

// The longest program of an agent takes half a second.
const ATTEMPTS = 50;

function processesIn(folder: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const at = readlinkSync(`/proc/${pid}/cwd`);
        return at === folder || at.startsWith(`${folder}/`);
      } catch {
        return false;
      }
    });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

// The store, its companion files and the secrets.
const DATA = /^(\.gitignore|store\.db(-shm|-wal)?|[a-z]+\.secret|[\w-]+\.head\.json)$/;

/** Files that the server and its tools left behind by mistake. They are removed. */
export function leftFiles(site: Site): readonly string[] {
  const under = (folder: string): readonly string[] =>
    readdirSync(folder).map((name) => join(folder, name));
  const works = readdirSync(site.path("work"));
  const left = [
    ...under(site.path("tmp")),
    ...under(site.path("data")).filter(
      (file) => !DATA.test(file.slice(site.path("data").length + 1)),
    ),
    ...works.flatMap((task) => temporaryIn(site.path("work", task))),
  ];
  for (const file of left) rmSync(file, { recursive: true, force: true });
  return left.map((file) => file.slice(site.folder.length + 1));
}

function temporaryIn(workspace: string): readonly string[] {
  const folder = join(workspace, ".bylaw/tmp");
  try {
    return readdirSync(folder)
      .filter((name) => name !== ".gitignore")
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The growth from one value to the next: the slope by least squares. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [above, below] = values.reduce(
    ([up, down], value, at) => [up + (at - middle) * (value - mean), down + (at - middle) ** 2],
    [0, 0] as readonly [number, number],
  );
  return below === 0 ? 0 : above / below;
}

/** The median. */
export const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
