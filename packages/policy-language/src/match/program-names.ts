import type { Word } from "@bylaw/shell";
import { baseName } from "../compile/program-name.ts";

/** A name under which rules about a program may be listed. */
export interface ProgramName {
  readonly name: string;
  readonly lower: string;
  /** Whether this is only the start of a name, up to its first space. */
  readonly head: boolean;
}

/** The names of the programs that the words may be, each word once. */
export function programsOf(words: readonly Word[]): readonly ProgramName[] {
  const seen = new Set<string>();
  const programs: ProgramName[] = [];
  for (const { text } of words) {
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    programs.push(...namesOf(text));
  }
  return programs;
}

/** The names under which rules about a word as a program may be listed. */
function namesOf(text: string): readonly ProgramName[] {
  if (!/[/ ]/.test(text)) return [named(text)];
  const whole = text.includes("/") ? [...new Set([text, baseName(text)])] : [text];
  const heads = whole
    .filter((name) => name.includes(" "))
    .map((name) => name.slice(0, name.indexOf(" ")));
  return [...whole.map((name) => named(name)), ...heads.map((name) => named(name, true))];
}

const named = (name: string, head = false): ProgramName => ({
  name,
  lower: name.toLowerCase(),
  head,
});
