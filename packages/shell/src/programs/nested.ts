import type { Word } from "../analysis.ts";
import { unknown, type Out } from "./out.ts";

const DEPTH = 6;

/**
 * Reads a command whose words are completed only when it runs (xargs, find -exec). What that makes unknown is unknown here, and so
 * are the files that it cannot name.
 */
export function readCompleted(out: Out, words: readonly Word[], depth = out.depth + 1): void {
  out.completed = true;
  const [first] = words;
  if (first === undefined) return;
  if (first.text === undefined) {
    unknown(out, "dynamic_command", "program that is only known when the command runs");
    return;
  }
  if (depth > DEPTH) {
    unknown(out, "limit", `more than ${DEPTH} programs that run each other`);
    return;
  }
  const inner = out.nested(words, depth);
  for (const { code, what } of inner.unknown) unknown(out, code, what);
  for (const effect of inner.effects) if ("path" in effect && effect.path.text === undefined) out.effects.push(effect);
  // Such a program has read its own command.
  if (inner.completed) return;
  for (const run of inner.runs) if (run.kind === "argv") readCompleted(out, words.slice(run.from, run.until), depth + 1);
}
