import { messageOf } from "@bylaw/kernel";
import type { Place } from "../files/workspace.ts";
import { readText } from "../files/text.ts";
import type { FileLimits } from "../options.ts";
import type { Budget } from "./budget.ts";

/** Of a longer line only the beginning is searched, in characters; of less where it is more work. */
const SEARCHED = 65_536;
/** Of a longer line only so much is shown, in characters. */
const SHOWN = 500;
// So much work is done before others have their turn; and what a line is beside its characters.
const TURN = 4_000_000;
const LINE = 64;

/**
 * Goes through the lines of a text file, from 1, until `visit` answers. Each character is `cost` work. A file that is no text is left
 * out; one that cannot be read is counted too.
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
    const found = await readText(place, file);
    budget.spend(found.bytes);
    text = found.text;
  } catch (error) {
    budget.spend(0);
    if (!messageOf(error).startsWith("Unexpected binary")) skipped.count += 1;
    return undefined;
  }
  const searched = Math.min(SEARCHED, Math.ceil(TURN / cost));
  let [number, work] = [0, 0];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, Math.min(end < 0 ? text.length : end, at + searched));
    number += 1;
    const answer = visit(line.endsWith("\r") ? line.slice(0, -1) : line, number);
    if (answer !== undefined) return answer;
    at = end < 0 ? text.length : end + 1;
    work += (line.length + LINE) * cost;
    if (work < TURN) continue;
    work = 0;
    const stop = await budget.over();
    if (stop !== undefined) return stop;
  }
  return undefined;
}

/** A line as it is shown: its beginning, or what stands around a place in it. */
export function shownLine(line: string, at = 0): string {
  if (line.length <= SHOWN) return line;
  const start = Math.max(0, Math.min(at - SHOWN / 2, line.length - SHOWN));
  return `${start > 0 ? "…" : ""}${line.slice(start, start + SHOWN)}${start + SHOWN < line.length ? "…" : ""}`.toWellFormed();
}
