import type { Place } from "../files/workspace.ts";
import { readIfText } from "../files/text.ts";
import type { FileLimits } from "../options.ts";
import type { Budget } from "./budget.ts";

/** At most this many characters of a line are searched; fewer when each costs more. */
const SEARCHED = 65_536;
/** At most this many characters of a line are shown. */
const SHOWN = 500;
// Units of work after which other tasks get a turn, and the fixed cost of a line.
const WORK_PER_TURN = 4_000_000;
const LINE_COST = 64;

/**
 * Visits the lines of a text file, numbered from 1, until `visit` returns a reason to stop. Each character costs `cost`. Binary files are
 * skipped; unreadable files are skipped and counted.
 */
export async function eachLine(
  place: Place,
  { file }: FileLimits,
  budget: Budget,
  { skipped, cost }: { readonly skipped: { count: number }; readonly cost: number },
  visit: (line: string, number: number) => string | undefined,
): Promise<string | undefined> {
  let text: string;
  try {
    const found = await readIfText(place, file);
    budget.spend(found?.bytes ?? 0);
    if (found === undefined) return undefined;
    text = found.text;
  } catch {
    budget.spend(0);
    skipped.count += 1;
    return undefined;
  }
  const searched = Math.min(SEARCHED, Math.ceil(WORK_PER_TURN / cost));
  let [number, work] = [0, 0];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, Math.min(end < 0 ? text.length : end, at + searched));
    number += 1;
    const answer = visit(line.endsWith("\r") ? line.slice(0, -1) : line, number);
    if (answer !== undefined) return answer;
    at = end < 0 ? text.length : end + 1;
    work += (line.length + LINE_COST) * cost;
    if (work < WORK_PER_TURN) continue;
    work = 0;
    const stop = await budget.over();
    if (stop !== undefined) return stop;
  }
  return undefined;
}

/** A line shortened for display: its beginning, or the part around `at`. */
export function shownLine(line: string, at = 0): string {
  if (line.length <= SHOWN) return line;
  const start = Math.max(0, Math.min(at - SHOWN / 2, line.length - SHOWN));
  return `${start > 0 ? "…" : ""}${line.slice(start, start + SHOWN)}${start + SHOWN < line.length ? "…" : ""}`.toWellFormed();
}
