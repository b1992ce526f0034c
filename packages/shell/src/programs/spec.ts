import type { Hazard } from "../analysis.ts";
import type { Out } from "./out.ts";
import type { Use } from "./use.ts";

/** What a value or an operand is for. */
export type Role =
  | "data"
  | "read"
  | "list"
  | "write"
  | "rw"
  | "move"
  | "delete"
  | "exec"
  | "load"
  | "host"
  | "url"
  | "remote"
  | "prog"
  | "script"
  | "code"
  | "dir";

/**
 * How a program reads its arguments, as data.
 *
 * `options`: blank-separated, each `names[=|?|%][role][!hazard]`. Names are comma-separated: `-x`, `--long`, `-word`. `=` takes
 * a value, `;` a name and then a value, `?` takes one only when glued, `%` only glued digits, `&` a number, behind which the letters go
 * on, `^` the next word that no letter of the same cluster took. Hazard letters: r(un) w(rite) d(elete) l(oad) s(end) c(onfigure).
 */
export interface Spec {
  readonly options?: string;
  /** Options end at the first operand. */
  readonly posix?: boolean;
  /** Its first word may be letters of options without a dash. */
  readonly bundled?: boolean;
  /** Long options have to be written in full. */
  readonly exact?: boolean;
  /** Roles of the operands, in order; one with `*` repeats, roles after it are those of the last operands. `role!hazard`. */
  readonly operands?: string;
  /** With one of these options the first operand role is not there. */
  readonly noFirst?: string;
  /** With one of these options the last operand role is not there. */
  readonly noLast?: string;
  /** With one of these options operands are only looked up: no hazard, no effect but read. */
  readonly quiet?: string;
  /** With one of these options nothing happens but a text is printed. */
  readonly inert?: string;
  /** Paths count with all that lies below: always, or with one of these options, or where a use of it says so. */
  readonly below?: "always" | readonly string[] | ((use: Use) => boolean);
  /** Options whose values are globs of the files that count below a folder; those that begin with `!` leave files out. */
  readonly filter?: string;
  /** With one of these options it goes where links lead. */
  readonly follows?: string;
  /** What happens to the working folder when there is no operand but data; `walked` where it is read only with what lies below. */
  readonly alone?: "read" | "write" | "walked";
  /** Its operands from this index on are a command. */
  readonly wrap?: number;
  /** Any later word may begin a command. */
  readonly carries?: boolean;
  readonly subs?: Readonly<Record<string, Spec>>;
  /** A subcommand that is not in `subs` may be an alias or another program. */
  readonly extensible?: boolean;
  /** The whole name of the subcommand that the program takes a word for: `beginning` where it takes one that only one of `subs` has. */
  readonly whole?: "beginning" | ((name: string) => string);
  /** Hazard of naming this subcommand at all. */
  readonly does?: Hazard["does"];
  /** Effects beyond its operands. */
  readonly vcs?: boolean;
  readonly network?: boolean;
  readonly privilege?: boolean;
  /** What the table cannot say. Runs after the table. */
  readonly more?: (use: Use, out: Out) => void;
  /** Replaces the table. */
  readonly read?: (out: Out, from: number) => void;
}

/** An option as compiled. */
export interface Option {
  readonly name: string;
  /** As the command line spells it, with its dashes. */
  readonly spelled: string;
  /** One spelling for all names of an option: `--force` for `-f`. */
  readonly id: string;
  readonly value: "none" | "required" | "second" | "glued" | "digits" | "number" | "following";
  readonly role: Role;
  readonly does: Hazard["does"] | undefined;
}

const TAKES: Readonly<Record<string, Option["value"]>> = {
  "=": "required",
  ";": "second",
  "?": "glued",
  "%": "digits",
  "&": "number",
  "^": "following",
};
const DOES: Readonly<Record<string, Hazard["does"]>> = { r: "run", w: "write", d: "delete", l: "load", s: "send", c: "configure" };

// What letters of a table stand for.
function doesOf(letter: string | undefined): Hazard["does"] | undefined {
  return letter === undefined ? undefined : DOES[letter];
}

/** The options of a program, ready to look up. */
export interface Grammar {
  readonly short: ReadonlyMap<string, Option>;
  readonly long: ReadonlyMap<string, Option>;
  /** Options of several letters with one dash. */
  readonly wordy: ReadonlyMap<string, Option>;
  readonly operands: readonly OperandRole[];
}

/** What an operand is for, as compiled. */
export interface OperandRole {
  readonly role: Role;
  readonly does: Hazard["does"] | undefined;
  readonly repeats: boolean;
}

const compiled = new WeakMap<Spec, Grammar>();

/** The options of a spec; compiled when first asked for. */
export function grammarOf(spec: Spec): Grammar {
  let grammar = compiled.get(spec);
  if (grammar === undefined) compiled.set(spec, (grammar = compile(spec.options ?? "", spec.operands)));
  return grammar;
}

function compile(options: string, operands: string | undefined): Grammar {
  const short = new Map<string, Option>();
  const long = new Map<string, Option>();
  const wordy = new Map<string, Option>();
  const ids = new Map<string, string>();
  for (const entry of options.split(/\s+/)) {
    const match = /^([^=;?!%&^]+)([=;?%&^]?)([a-z]*)(?:!([a-z]))?$/.exec(entry);
    if (match === null) continue;
    const [, names = "", sign = "", role = "", does] = match;
    const list = names.split(",");
    // The last name may be shared by several options that are alike in what they do.
    const id = idOf(list.findLast((name) => !ids.has(name)) ?? "");
    for (const name of list) if (!ids.has(name)) ids.set(name, id);
    const alike = {
      name: (list.at(-1) ?? "").replace(/^[-+]+/, ""),
      value: TAKES[sign] ?? "none",
      role: role === "" ? "data" : (role as Role),
      does: doesOf(does),
    } as const;
    for (const name of list) {
      const option: Option = { ...alike, spelled: name, id: ids.get(name) ?? name };
      if (name.startsWith("--")) long.set(name.slice(2), option);
      else if (name.length > 2 || name.startsWith("+")) wordy.set(name, option);
      else short.set(name.slice(1), option);
    }
  }
  return { short, long, wordy, operands: operands === undefined ? [] : operands.split(" ").map(roleOf) };
}

// `-word` and `--word` are one.
function idOf(name: string): string {
  return /^-[^-]./.test(name) ? `-${name}` : name;
}

function roleOf(entry: string): OperandRole {
  const repeats = entry.endsWith("*");
  const [role = "data", letter] = (repeats ? entry.slice(0, -1) : entry).split("!");
  return { role: role as Role, does: doesOf(letter), repeats };
}
