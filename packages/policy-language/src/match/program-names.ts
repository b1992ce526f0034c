import { baseName } from "../compile/program-name.ts";

/** A name under which rules about a program may be listed. */
export interface ProgramName {
  readonly name: string;
  readonly lower: string;
  /** Whether this is only the start of a name, up to its first space. */
  readonly head: boolean;
}

/** The names under which rules about a word as a program may be listed. */
export function namesOf(text: string | undefined): readonly ProgramName[] {
  if (text === undefined) return [];
  const whole = text.includes("/") ? [...new Set([text, baseName(text)])] : [text];
  const heads = whole
    .filter((name) => name.includes(" "))
    .map((name) => name.slice(0, name.indexOf(" ")));
  const named = (head: boolean) => (name: string) => ({ name, lower: name.toLowerCase(), head });
  return [...whole.map(named(false)), ...heads.map(named(true))];
}
