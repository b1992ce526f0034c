import { readFileSync, readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** The variable that marks a program and all programs that it starts. */
export const MARK = "BYLAW_PROCESS";
// A program that starts others during one pass is found in the next.
const PASSES = 50;
const SETTLING = 3;
// In deeply nested processes, only the nearest marks are kept.
const MARKS = 16;

/**
 * The value of the mark: the marks of this process, then its own. So ending an outer program also
 * ends what is started here.
 */
export function markWith(id: string, given: string | undefined = process.env[MARK]): string {
  const before = (given ?? "").split(" ").filter((mark) => mark !== "");
  return [...before.slice(1 - MARKS), id].join(" ");
}

/** Ends all processes with a mark. */
export async function endOrphans(id: string): Promise<void> {
  const isMeant = (environment: readonly string[]): boolean =>
    environment.some(
      (line) =>
        line.startsWith(`${MARK}=`) &&
        line
          .slice(MARK.length + 1)
          .split(" ")
          .includes(id),
    );
  if (process.platform !== "linux") return;
  for (let pass = 0; pass < SETTLING && endWhere(isMeant).unclear; pass += 1) await setTimeout(1);
}

/**
 * Ends every process with these variables in its environment, except this one and its ancestors.
 * These are leftovers of a supervisor that was killed. It works only on Linux, which lists
 * environments. A process that removed the variables from its environment is not found.
 */
export function killByEnvironment(variables: Readonly<Record<string, string>>): void {
  const wanted = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  if (wanted.length > 0 && process.platform === "linux")
    endWhere((environment) => wanted.every((line) => environment.includes(line)));
}

function endWhere(isMeant: (environment: readonly string[]) => boolean): {
  readonly unclear: boolean;
} {
  const own = ancestors();
  for (let pass = 0; pass < PASSES; pass += 1) {
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !own.has(Number(name)));
    const environments = all.map((pid) => [Number(pid), environmentOf(pid)] as const);
    const found = environments.filter(([, environment]) => isMeant(environment));
    // A process that is just starting another program has no environment for a moment.
    if (found.length === 0)
      return {
        unclear: environments.some(([pid, lines]) => lines.length === 1 && isStarting(pid)),
      };
    for (const [pid] of found) end(pid);
  }
  return { unclear: false };
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}

function isStarting(pid: number): boolean {
  try {
    const [, state, parent] =
      /^State:\s+(\w)[^]*?^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    // Neither an ended process nor a kernel thread.
    return state !== undefined && !"ZX".includes(state) && parent !== "2" && pid !== 2;
  } catch {
    return false;
  }
}

function ancestors(): ReadonlySet<number> {
  const known = new Set<number>();
  for (let pid = process.pid; pid > 1 && !known.has(pid); pid = parentOf(pid)) known.add(pid);
  return known;
}

function parentOf(pid: number): number {
  try {
    return Number(/\nPPid:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
