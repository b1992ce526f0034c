import type { Hazard, Word } from "./analysis.ts";
import { judge, setName as setVariable, taint } from "./assignments.ts";
import { doubt, quote, type Draft, type Walk } from "./context.ts";
import { visitSum } from "./expansions.ts";

/** What a built-in changes for the commands after it. */
type Change = (walk: Walk, argv: readonly Word[], draft: Draft) => void;

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?\+?=/;
const PLAIN_NAME = /^[A-Za-z_]\w*(\[(\d+|@|\*)\])?$/;

function declare(walk: Walk, argv: readonly Word[], draft: Draft): void {
  let integer = false;
  // A name alone loses its value, or what is assigned to it changes.
  let blank = argv[0]?.text === "local";
  const hazards: Hazard[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    const text = word?.text;
    const start = typeof word?.pieces[0] === "string" ? word.pieces[0] : "";
    if (text !== undefined && /^[-+]/.test(text)) {
      if (text.includes("n") && argv[0]?.text !== "export") doubt(walk, "state", "name that stands for another variable");
      integer ||= text.includes("i");
      blank ||= /^\+.*x|[niulcaA]/.test(text);
      continue;
    }
    const found = ASSIGNMENT.exec(start);
    if (found !== null) {
      const [head, name = "", index] = found;
      if (index !== undefined) visitSum(walk, index);
      if (integer) visitSum(walk, text === undefined ? "`" : text.slice(head.length));
      const value =
        text === undefined ? { text: undefined, pieces: [{ hole: "any" } as const], single: true } : wordOf(text.slice(head.length));
      if (value.text === undefined || !/^[-+]?\d*$/.test(value.text)) taint(walk, name);
      const assignment = judge(walk, name, value);
      if (!assignment.harmless) hazards.push({ at, does: "configure" });
    } else if (text === undefined) doubt(walk, "state", `variable that is only known when it runs`);
    else {
      name(walk, text);
      if (blank) judge(walk, text.replace(/\[.*/s, ""), undefined);
      // What is assigned to it later is evaluated.
      if (integer) visitSum(walk, text);
    }
  }
  if (hazards.length > 0) draft.hazards = draft.hazards.concat(hazards);
}

function wordOf(text: string): Word {
  return { text, pieces: [text], single: true };
}

// The name of a variable that a built-in sets or reads: bash evaluates a subscript.
function name(walk: Walk, text: string): void {
  if (text.includes("[") && !PLAIN_NAME.test(text)) doubt(walk, "dynamic_script", `subscript in ${quote(text)}, which bash evaluates`);
}

function setName(walk: Walk, word: Word | undefined): void {
  if (word === undefined) return;
  if (word.text === undefined) return doubt(walk, "state", "variable whose name is only known when it runs");
  name(walk, word.text);
  setVariable(walk, word.text, { number: false });
}

function read(walk: Walk, argv: readonly Word[]): void {
  taint(walk, "REPLY");
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    // Values of options are taken for names as well: one more is no harm.
    const array = text === undefined ? undefined : /^-[ersE]*a([\s\S]+)$/.exec(text);
    if (array?.[1] !== undefined) setName(walk, wordOf(array[1]));
    if (text !== undefined && /^(-|$)/.test(text)) continue;
    if (text !== undefined && !/^[A-Za-z_]\w*(\[.*)?$/s.test(text)) continue;
    setName(walk, argv[at]);
  }
}

// `%n` sets the variable that an argument names.
const COUNTS = /%[-+ #0'*\d.hlLjztq]*n/;

function printf(walk: Walk, argv: readonly Word[]): void {
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at];
    const text = word?.text;
    if (word !== undefined && text === undefined && mayStart(word, "-v")) {
      doubt(walk, "state", "first word of `printf` that is only known when it runs");
      break;
    }
    if (text === undefined || !text.startsWith("-v")) break;
    setName(walk, text === "-v" ? argv[++at] : wordOf(text.slice(2)));
  }
  if (argv[at]?.text === "--") at++;
  const format = argv[at];
  if (format === undefined || (format.text !== undefined && !COUNTS.test(format.text.replaceAll("%%", "")))) return;
  for (let index = at + 1; index < argv.length; index++) {
    const text = argv[index]?.text;
    if (text === undefined || /^[A-Za-z_]\w*(\[.*)?$/s.test(text)) setName(walk, argv[index]);
  }
}

function mayStart(word: Word, text: string): boolean {
  const [first] = word.pieces;
  return typeof first !== "string" || first.startsWith(text) || text.startsWith(first);
}

function evaluate(walk: Walk, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined) doubt(walk, "dynamic_script", "arithmetic of `let` that is only known when it runs");
    else visitSum(walk, text);
  }
}

function unset(walk: Walk, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word?.text === undefined) doubt(walk, "state", "variable whose name is only known when it runs");
    else if (!word.text.startsWith("-")) {
      name(walk, word.text);
      judge(walk, word.text.replace(/\[.*/s, ""), undefined);
    }
  }
}

function test(walk: Walk, argv: readonly Word[]): void {
  for (let at = 2; at < argv.length; at++) {
    const before = argv[at - 1]?.text;
    const word = argv[at];
    if (before !== "-v" && before !== "-R") continue;
    if (word?.text === undefined) doubt(walk, "dynamic_script", "variable whose name is only known when it runs");
    else name(walk, word.text);
  }
}

const LETTERS = /^[-+][euxvfCETmbo]+$/;
const OPTIONS = new Set(
  "errexit nounset xtrace verbose noglob noclobber errtrace functrace monitor notify pipefail emacs vi ignoreeof history".split(" "),
);

function set(walk: Walk, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined) return doubt(walk, "state", "option of `set` that is only known when it runs");
    if (text === "--" || text === "-" || !/^[-+]./.test(text)) return;
    if (!LETTERS.test(text)) return doubt(walk, "state", `option ${quote(text)} of \`set\``);
    if (!text.includes("o")) continue;
    const option = argv[++at];
    if (option !== undefined && (option.text === undefined || !OPTIONS.has(option.text))) {
      return doubt(walk, "state", `option ${quote(option.text ?? "?")} of \`set\``);
    }
  }
}

const SHOPT = new Set(
  "nullglob failglob dotglob nocasematch inherit_errexit huponexit checkwinsize cmdhist histappend -s -u -q -p".split(" "),
);

function shopt(walk: Walk, argv: readonly Word[]): void {
  const sets = argv.some((word, at) => at > 0 && (word.text === undefined || /^-\w*[suo]/.test(word.text)));
  if (!sets) return;
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined || !SHOPT.has(text)) return doubt(walk, "state", `option ${quote(text ?? "?")} of \`shopt\``);
  }
}

function alias(walk: Walk, argv: readonly Word[], draft: Draft): void {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    const [first] = word?.pieces ?? [];
    if (word?.text === undefined || (typeof first === "string" && first.includes("="))) {
      // A line without another command has nothing that it could change.
      if (word?.text === undefined) return doubt(walk, "state", "alias, which changes what a name runs");
      (walk.aliases ??= []).push(draft);
      return;
    }
  }
}

function hash(walk: Walk, argv: readonly Word[]): void {
  for (const { text } of argv) {
    if (text === undefined || /^-\w*p/.test(text)) return doubt(walk, "state", "`hash -p`, which changes what a name runs");
  }
}

function enable(walk: Walk, argv: readonly Word[]): void {
  if (argv.length > 1) doubt(walk, "state", "`enable`, which changes what a name runs");
}

function getopts(walk: Walk, argv: readonly Word[]): void {
  taint(walk, "OPTARG");
  setName(walk, argv[argv[1]?.text === "--" ? 3 : 2]);
}

function wait(walk: Walk, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    const name = text === undefined ? undefined : /^-[fn]*p([\s\S]*)$/.exec(text)?.[1];
    if (name !== undefined) setName(walk, name === "" ? argv[++at] : wordOf(name));
  }
}

const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ["export", declare],
  ["declare", declare],
  ["typeset", declare],
  ["local", declare],
  ["readonly", declare],
  ["read", read],
  ["mapfile", read],
  ["readarray", read],
  ["printf", printf],
  ["let", evaluate],
  ["unset", unset],
  ["test", test],
  ["[", test],
  ["set", set],
  ["shopt", shopt],
  ["alias", alias],
  ["hash", hash],
  ["enable", enable],
  ["getopts", getopts],
  ["wait", wait],
]);

/** Notes what a built-in of the shell changes for the commands after it. */
export function noteState(walk: Walk, name: string, draft: Draft): void {
  CHANGES.get(name)?.(walk, draft.argv, draft);
}

/** Whether a program of this name is a built-in that may change what later commands mean. */
export function changesState(name: string): boolean {
  return CHANGES.has(name);
}
