import { readFileSync, readdirSync } from "node:fs";

/** The variable that marks what one run started. */
export const MARK = "BYLAW_TEST_RUN";
const PASSES = 10;

/**
 * Ends what a run started and what left its process group, known by the mark in its environment. Only where the system lists the
 * environments of processes, as Linux does; who took the mark out of his environment stays.
 */
export function endStrays(mark: string): void {
  if (process.platform !== "linux") return;
  const wanted = `${MARK}=${mark}`;
  // What starts others while it is looked for is met in the next pass.
  for (let pass = 0; pass < PASSES; pass += 1) {
    const strays = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(wanted));
    if (strays.length === 0) return;
    for (const pid of strays) end(Number(pid));
  }
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    // Gone, or somebody else's.
    return [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone.
  }
}
