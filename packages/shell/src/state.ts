import type { Hazard, Word } from "./analysis.ts";
import { judge, taint } from "./assignments.ts";
import { doubt, quote, type Draft, type Walk } from "./context.ts";
import { visitSum } from "./expansions.ts";

/** What a built-in changes for the commands after it. */
type Change = (walk: Walk, argv: readonly Word[], draft: Draft) => void;

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?\+?=/;
const PLAIN_NAME = /^[A-Za-z_]\w*(\[(\d+|@|\*)\])?$/;

function declare(walk: Walk, argv: readonly Word[], draft: Draft): void {
  let integer = false;
  const hazards: Hazard[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    const text = word?.text;
    const start = typeof word?.pieces[0] === "string" ? word.pieces[0] : "";
    if (text !== undefined && /^[-+]/.test(text)) {
      if (text.includes("n") && argv[0]?.text !== "export") doubt(walk, "state", "name that stands for another variable");
      integer ||= text.includes("i");
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
  const bare = word.text.replace(/\[.*/s, "");
  taint(walk, bare);
  if (/^[A-Za-z_]\w*$/.test(bare)) judge(walk, bare, { text: undefined, pieces: [{ hole: "any" }], single: true });
}

function read(walk: Walk, argv: readonly Word[]): void {
  taint(walk, "REPLY");
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    // Values of options are taken for names as well: one more is no harm.
    if (text !== undefined && /^(-|$)/.test(text)) continue;
    if (text !== undefined && !/^[A-Za-z_]\w*(\[.*)?$/s.test(text)) continue;
    setName(walk, argv[at]);
  }
}

function printf(walk: Walk, argv: readonly Word[]): void {
  const [, option, target] = argv;
  if (option?.text === "-v") setName(walk, target);
  else if (option?.text?.startsWith("-v") === true) setName(walk, wordOf(option.text.slice(2)));
  else if (option !== undefined && option.text === undefined && mayStart(option, "-v")) {
    doubt(walk, "state", "first word of `printf` that is only known when it runs");
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

function alias(walk: Walk, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    const [first] = word?.pieces ?? [];
    if (word?.text === undefined || (typeof first === "string" && first.includes("="))) {
      return doubt(walk, "state", "alias, which changes what a name runs");
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
  setName(walk, argv[2]);
}

function wait(walk: Walk, argv: readonly Word[]): void {
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (argv[at - 1]?.text === "-p") setName(walk, argv[at]);
    else if (text?.startsWith("-p") === true && text.length > 2) setName(walk, wordOf(text.slice(2)));
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
