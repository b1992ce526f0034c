import { equivalentCommands, type EquivalenceKind } from "@bylaw/shell";

/** A different way to write a shell line that does the same. */
export interface Rewriting {
  /** Completes the phrase "written with …". */
  readonly name: string;
  /** Set if it adds an argument, which a pattern of the whole line cannot match for certain. */
  readonly appends?: true;
  /** Rewrites a line. Undefined if the line cannot be written that way. */
  readonly rewrite: (line: string) => string | undefined;
}

/** The rewriting that patterns with exact words miss. */
export const MORE = "one more argument";
/** The rewriting that patterns with a `*` before an option miss. */
export const BEFORE_OPTIONS = "one more argument before its options";

// Only a line of plain words can be rewritten word by word.
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+(?:[ \t]+[A-Za-z0-9_@%+=:,./~-]+)*$/;
// Flags that all listed programs accept in the same forms.
const SWITCH = /^-[rRfvq]+$/;
const LETTERS: Readonly<Record<string, string>> = {
  r: "recursive",
  R: "recursive",
  f: "force",
  v: "verbose",
  q: "quiet",
};
const SWITCHED: ReadonlySet<string> = new Set(
  "rm cp mv ln chmod chown chgrp git docker podman".split(" "),
);

type Words = readonly string[];

const byWords =
  (rewrite: (program: string, rest: Words) => Words | undefined): Rewriting["rewrite"] =>
  (line) => {
    if (!PLAIN.test(line)) return undefined;
    const [program = "", ...rest] = line.split(/[ \t]+/);
    const words = rewrite(program, rest)?.join(" ");
    return words === line ? undefined : words;
  };

const byArguments = (rewrite: (rest: Words) => Words): Rewriting["rewrite"] =>
  byWords((program, rest) => (rest.length === 0 ? undefined : [program, ...rewrite(rest)]));

const isSwitch = (word: string): boolean => SWITCH.test(word);

// Excludes lines with other options, because the next word could be an option's value.
const bySwitches = (rewrite: (rest: Words) => Words): Rewriting["rewrite"] =>
  byWords((program, rest) => {
    const known =
      SWITCHED.has(program) && rest.every((word) => !word.startsWith("-") || isSwitch(word));
    return known && rest.some(isSwitch) ? [program, ...rewrite(rest)] : undefined;
  });

const spelled = (spell: (letters: Words) => Words): Rewriting["rewrite"] =>
  bySwitches((rest) =>
    rest.flatMap((word) => (isSwitch(word) ? spell(Array.from(word.slice(1))) : [word])),
  );

const around =
  (before: string, after = ""): Rewriting["rewrite"] =>
  (line) =>
    before + line + after;

const quoted = (text: string): string =>
  text.startsWith("~") ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The rewritings to try. */
export const REWRITINGS: readonly Rewriting[] = [
  { name: MORE, rewrite: byWords((program, rest) => [program, ...rest, "x"]) },
  {
    name: BEFORE_OPTIONS,
    appends: true,
    rewrite: byWords((program, rest) => {
      const first = rest.findIndex((word) => word.startsWith("-"));
      return first < 1 ? undefined : [program, ...rest.toSpliced(first, 0, "x")];
    }),
  },
  {
    name: "the program's full path",
    rewrite: byWords((program, rest) =>
      program.includes("/") ? undefined : [`/usr/bin/${program}`, ...rest],
    ),
  },
  {
    name: "quotes around the program",
    rewrite: byWords((program, rest) => [`"${program}"`, ...rest]),
  },
  {
    name: "quotes inside the program's name",
    rewrite: byWords((program, rest) => [`${program[0] ?? ""}''${program.slice(1)}`, ...rest]),
  },
  {
    name: "a backslash before the program",
    rewrite: byWords((program, rest) => [`\\${program}`, ...rest]),
  },
  { name: "quotes around the arguments", rewrite: byArguments((rest) => rest.map(quoted)) },
  { name: "more blanks between the words", rewrite: byArguments((rest) => ["", ...rest]) },
  { name: "options apart", rewrite: spelled((letters) => letters.map((letter) => `-${letter}`)) },
  {
    name: "options in another order",
    rewrite: spelled((letters) => [`-${letters.toReversed().join("")}`]),
  },
  {
    name: "long options",
    rewrite: spelled((letters) => letters.map((letter) => `--${LETTERS[letter] ?? letter}`)),
  },
  {
    name: "options after the operands",
    rewrite: bySwitches((rest) => [
      ...rest.filter((word) => !isSwitch(word)),
      ...rest.filter(isSwitch),
    ]),
  },
  { name: "sudo", rewrite: around("sudo ") },
  { name: "env", rewrite: around("env A=1 ") },
  { name: "an assignment before it", rewrite: around("A=1 ") },
  { name: "timeout", rewrite: around("timeout 60 ") },
  { name: "nohup", rewrite: around("nohup ") },
  { name: "xargs", appends: true, rewrite: around("echo x | xargs ") },
  { name: "find -exec", rewrite: around("find . -maxdepth 0 -exec ", " \\;") },
  { name: "bash -c", rewrite: (line) => `bash -c ${quoted(line)}` },
  { name: "eval", rewrite: (line) => `eval ${quoted(line)}` },
  { name: "a command substitution", rewrite: around("echo $(", ")") },
  { name: "cd before it", rewrite: around("cd . && ") },
  { name: "another command before it", rewrite: around("true; ") },
  { name: "a line before it", rewrite: around("true\n") },
  { name: "a pipe", rewrite: around("true | ", " | cat") },
  { name: "a subshell", rewrite: around("( ", " )") },
  { name: "the background", rewrite: around("", " &") },
  { name: "a redirection", rewrite: around("", " > out.txt 2>&1") },
];

const KINDS: Readonly<Record<EquivalenceKind, string>> = {
  name: "another name of an option",
  beginning: "the beginning of an option's name",
  value: "an option's value joined or apart",
  combination: "options that stand for one another",
  order: "options after the operands",
  subcommand: "another name of the subcommand",
  program: "another name of the program",
};

/** Other ways to write a line of plain words that mean the same to its program. */
export function respellings(
  line: string,
): readonly { readonly name: string; readonly text: string }[] {
  if (!PLAIN.test(line)) return [];
  return equivalentCommands(line.split(/[ \t]+/)).map(({ kind, argv }) => ({
    name: KINDS[kind],
    text: argv.join(" "),
  }));
}
