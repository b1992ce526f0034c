import type { Word } from "../analysis.ts";
import { unknown, type Findings } from "./findings.ts";

const DEPTH = 6;

/**
 * Reads a command whose words are completed at run time (xargs, find -exec). Records its unknown parts, and its files that have
 * no known name.
 */
export function readCompleted(out: Findings, words: readonly Word[], depth = out.depth + 1): void {
  out.completed = true;
  const [first] = words;
  if (first === undefined) return;
  if (first.text === undefined) {
    unknown(out, "dynamic_command", "a program known only at run time");
    return;
  }
  if (depth > DEPTH) {
    unknown(out, "limit", `more than ${DEPTH} nested runs of \`xargs\` or \`find -exec\``);
    return;
  }
  const inner = out.nested(words, depth);
  for (const { code, what } of inner.unknown) unknown(out, code, what);
  for (const effect of inner.effects)
    if ("path" in effect && effect.path.text === undefined) out.effects.push(effect);
  // The inner program has already read its own command.
  if (inner.completed) return;
  for (const run of inner.runs)
    if (run.kind === "argv") readCompleted(out, words.slice(run.from, run.until), depth + 1);
}
