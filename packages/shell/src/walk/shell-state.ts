import type { Hazard, Word } from "../analysis.ts";
import {
  classifyAssignment,
  setName as setVariable,
  markUntrusted,
  noteTable,
} from "../expand/assignments.ts";
import { noteUnknown, quote, type Draft, type WalkState } from "./walk-state.ts";
import { visitArithmeticText } from "../expand/expansions.ts";
import { STATE_BUILTINS } from "./state-builtins.ts";

/** Records what a built-in changes for later commands. */
type Change = (walk: WalkState, argv: readonly Word[], draft: Draft) => void;

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?\+?=/;
const PLAIN_NAME = /^[A-Za-z_]\w*(\[(\d+|@|\*)\])?$/;

function declare(walk: WalkState, argv: readonly Word[], draft: Draft): void {
  let integer = false;
  // A bare name loses its value, or later assignments to it behave differently.
  let blank = argv[0]?.text === "local";
  const hazards: Hazard[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    const text = word?.text;
    const start = typeof word?.pieces[0] === "string" ? word.pieces[0] : "";
    if (text !== undefined && /^[-+]/.test(text)) {
      if (text.includes("n") && argv[0]?.text !== "export")
        noteUnknown(walk, "state", "a name that refers to another variable");
      integer ||= /[iEF]/.test(text);
      blank ||= /^\+.*x|[niulcaA]/.test(text);
      continue;
    }
    const found = ASSIGNMENT.exec(start);
    if (found !== null) {
      const [head, name = "", index] = found;
      noteTable(walk, name);
      if (index !== undefined) visitArithmeticText(walk, index);
      if (integer) visitArithmeticText(walk, text === undefined ? "`" : text.slice(head.length));
      const value =
        text === undefined
          ? { text: undefined, pieces: [{ hole: "any" } as const], single: true }
          : wordOf(text.slice(head.length));
      if (value.text === undefined || !/^[-+]?\d*$/.test(value.text)) markUntrusted(walk, name);
      walk.variables.setElsewhere(name);
      const assignment = classifyAssignment(walk, name, value);
      if (!assignment.harmless) hazards.push({ at, does: "configure" });
    } else if (text === undefined) noteUnknown(walk, "state", "a variable known only at run time");
    else {
      name(walk, text);
      const bare = text.replace(/\[.*/s, "");
      walk.variables.setElsewhere(bare);
      if (blank) classifyAssignment(walk, bare, undefined);
      // Bash evaluates later assignments to it.
      if (integer) visitArithmeticText(walk, text);
    }
  }
  if (hazards.length > 0) draft.hazards = draft.hazards.concat(hazards);
}

function wordOf(text: string): Word {
  return { text, pieces: [text], single: true };
}

// Bash evaluates a subscript in a variable name given to a built-in.
function name(walk: WalkState, text: string): void {
  if (text.includes("[") && !PLAIN_NAME.test(text))
    noteUnknown(walk, "dynamic_script", `subscript in ${quote(text)}, which bash evaluates`);
}

function setName(walk: WalkState, word: Word | undefined): void {
  if (word === undefined) return;
  if (word.text === undefined)
    return noteUnknown(walk, "state", "a variable whose name is known only at run time");
  name(walk, word.text);
  setVariable(walk, word.text, { number: false });
}

function read(walk: WalkState, argv: readonly Word[]): void {
  markUntrusted(walk, "REPLY");
  for (let at = 1; at < argv.length; at++) {
    // zsh reads `name?prompt`.
    const text = argv[at]?.text?.replace(/^([A-Za-z_]\w*)\?.*/s, "$1");
    // This also takes option values for names, which does no harm.
    const array = text === undefined ? undefined : /^-[ersE]*a([\s\S]+)$/.exec(text);
    if (array?.[1] !== undefined) setName(walk, wordOf(array[1]));
    if (text !== undefined && /^(-|$)/.test(text)) continue;
    if (text !== undefined && !/^[A-Za-z_]\w*(\[.*)?$/s.test(text)) continue;
    setName(walk, text === undefined ? argv[at] : wordOf(text));
  }
}

// `%n` sets the variable named by an argument.
const COUNTS = /%[-+ #0'*\d.hlLjztq]*n/;

const CONVERSION = /%([^a-zA-Z]*)[hlLjzt]*([a-zA-Z])?/g;

/** The arguments of `printf` that a format reads as numbers, which zsh evaluates as arithmetic. */
function numbersOf(format: string, given: readonly Word[]): readonly Word[] {
  const numeric: boolean[] = [];
  let inOrder = given.every(({ single }) => single);
  for (const [, flags = "", type = ""] of format.replaceAll("%%", "").matchAll(CONVERSION)) {
    inOrder &&= !flags.includes("$");
    for (const flag of flags) if (flag === "*") numeric.push(true);
    numeric.push(!/^[sbqc]$/.test(type));
  }
  if (!numeric.includes(true)) return [];
  return inOrder ? given.filter((_, at) => numeric[at % numeric.length]) : given;
}

const isNumber = ({ pieces }: Word): boolean =>
  pieces.every((piece) =>
    typeof piece === "string" ? /^[-+\d.]*$/.test(piece) : piece.hole === "number",
  );

function printf(walk: WalkState, argv: readonly Word[]): void {
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at];
    const text = word?.text;
    if (word !== undefined && text === undefined && mayStart(word, "-v")) {
      noteUnknown(walk, "state", "a first argument of `printf` known only at run time");
      break;
    }
    if (text === undefined || !text.startsWith("-v")) break;
    setName(walk, text === "-v" ? argv[++at] : wordOf(text.slice(2)));
  }
  if (argv[at]?.text === "--") at++;
  const format = argv[at];
  if (format === undefined) return;
  const given = argv.slice(at + 1);
  const evaluated = format.text === undefined ? given : numbersOf(format.text, given);
  if (!evaluated.every(isNumber))
    noteUnknown(walk, "dynamic_script", "a number of `printf`, which zsh evaluates");
  if (format.text !== undefined && !COUNTS.test(format.text.replaceAll("%%", ""))) return;
  for (let index = at + 1; index < argv.length; index++) {
    const text = argv[index]?.text;
    if (text === undefined || /^[A-Za-z_]\w*(\[.*)?$/s.test(text)) setName(walk, argv[index]);
  }
}

function mayStart(word: Word, text: string): boolean {
  const [first] = word.pieces;
  return typeof first !== "string" || first.startsWith(text) || text.startsWith(first);
}

function evaluate(walk: WalkState, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined)
      noteUnknown(walk, "dynamic_script", "`let` arithmetic known only at run time");
    else visitArithmeticText(walk, text);
  }
}

function unset(walk: WalkState, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word?.text === undefined)
      noteUnknown(walk, "state", "a variable whose name is known only at run time");
    else if (!word.text.startsWith("-")) {
      name(walk, word.text);
      const bare = word.text.replace(/\[.*/s, "");
      walk.variables.setElsewhere(bare);
      classifyAssignment(walk, bare, undefined);
    }
  }
}

function test(walk: WalkState, argv: readonly Word[]): void {
  for (let at = 2; at < argv.length; at++) {
    const before = argv[at - 1]?.text;
    const word = argv[at];
    if (before !== "-v" && before !== "-R") continue;
    if (word?.text === undefined)
      noteUnknown(walk, "dynamic_script", "a variable whose name is known only at run time");
    else name(walk, word.text);
  }
}

const LETTERS = /^[-+][euxvfCETmbo]+$/;
const OPTIONS = new Set(
  "errexit nounset xtrace verbose noglob noclobber errtrace functrace monitor notify pipefail emacs vi ignoreeof history".split(
    " ",
  ),
);

function set(walk: WalkState, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined)
      return noteUnknown(walk, "state", "an option of `set` known only at run time");
    if (text === "--" || text === "-" || !/^[-+]./.test(text)) return;
    if (!LETTERS.test(text)) return noteUnknown(walk, "state", `option ${quote(text)} of \`set\``);
    if (!text.includes("o")) continue;
    const option = argv[++at];
    if (option !== undefined && (option.text === undefined || !OPTIONS.has(option.text))) {
      return noteUnknown(walk, "state", `option ${quote(option.text ?? "?")} of \`set\``);
    }
  }
}

const SHOPT = new Set(
  "nullglob failglob dotglob nocasematch inherit_errexit huponexit checkwinsize cmdhist histappend -s -u -q -p".split(
    " ",
  ),
);

function shopt(walk: WalkState, argv: readonly Word[]): void {
  const sets = argv.some(
    (word, at) => at > 0 && (word.text === undefined || /^-\w*[suo]/.test(word.text)),
  );
  if (!sets) return;
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined || !SHOPT.has(text))
      return noteUnknown(walk, "state", `option ${quote(text ?? "?")} of \`shopt\``);
  }
}

function alias(walk: WalkState, argv: readonly Word[], draft: Draft): void {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    const [first] = word?.pieces ?? [];
    if (word?.text === undefined || (typeof first === "string" && first.includes("="))) {
      // If no other command is in the line, an alias changes nothing.
      if (word?.text === undefined)
        return noteUnknown(walk, "state", "an alias, which changes what a command name runs");
      (walk.aliases ??= []).push(draft);
      return;
    }
  }
}

function hash(walk: WalkState, argv: readonly Word[]): void {
  for (const { text } of argv) {
    if (text === undefined || /^-\w*p/.test(text))
      return noteUnknown(walk, "state", "`hash -p`, which changes what a command name runs");
  }
}

function enable(walk: WalkState, argv: readonly Word[]): void {
  if (argv.length > 1)
    noteUnknown(walk, "state", "`enable`, which changes what a command name runs");
}

function getopts(walk: WalkState, argv: readonly Word[]): void {
  markUntrusted(walk, "OPTARG");
  setName(walk, argv[argv[1]?.text === "--" ? 3 : 2]);
}

function wait(walk: WalkState, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    const name = text === undefined ? undefined : /^-[fn]*p([\s\S]*)$/.exec(text)?.[1];
    if (name !== undefined) setName(walk, name === "" ? argv[++at] : wordOf(name));
  }
}

const CHANGES: Readonly<Record<(typeof STATE_BUILTINS)[number], Change>> = {
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  read,
  mapfile: read,
  readarray: read,
  printf,
  let: evaluate,
  unset,
  test,
  "[": test,
  set,
  shopt,
  alias,
  hash,
  enable,
  getopts,
  wait,
};

export function noteState(walk: WalkState, name: string, draft: Draft): void {
  const change = STATE_BUILTINS.find((builtin) => builtin === name);
  if (change !== undefined) CHANGES[change](walk, draft.argv, draft);
}
