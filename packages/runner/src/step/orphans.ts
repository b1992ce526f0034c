import { readFileSync, readdirSync } from "node:fs";

const PASSES = 10;

/**
 * Ends what is left of an attempt whose runner was killed, so that two attempts of one step are never at work: every process with these
 * marks in its environment, but for this one and those that it came from. Only where the system lists environments, as Linux does.
 */
export function endOrphans(marks: Readonly<Record<string, string>>): void {
  if (process.platform !== "linux") return;
  const wanted = Object.entries(marks).map(([name, value]) => `${name}=${value}`);
  const own = ancestors();
  // What starts others while it is looked for is met in the next pass.
  for (let pass = 0; pass < PASSES; pass += 1) {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !own.has(Number(name)) && isMarked(name, wanted));
    if (found.length === 0) return;
    for (const pid of found) end(Number(pid));
  }
}

function isMarked(pid: string, wanted: readonly string[]): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return wanted.every((one) => environment.includes(one));
  } catch {
    // Gone, or somebody else's.
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
    // Gone.
  }
}
