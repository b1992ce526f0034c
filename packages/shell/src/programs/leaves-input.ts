import type { Effect, Redirection, Word } from "../analysis.ts";
import { parseArgs } from "./parsed-args.ts";
import { specOf } from "./program-table.ts";
import { SED } from "./sed.ts";
import { prefix } from "./word-text.ts";

const NEVER: ReadonlySet<string> = new Set(
  "echo printf test [ : true false basename dirname realpath readlink ls mkdir rmdir touch chmod pwd break continue exit".split(
    " ",
  ),
);
// They read an answer only with `-i`.
const ASKS: ReadonlySet<string> = new Set(["cp", "mv", "ln", "rm"]);
// They read their standard input only if no file is named.
const READERS: ReadonlySet<string> = new Set(
  "wc head tail cat nl tac cut sort uniq stat diff grep egrep fgrep sed jq md5sum sha1sum sha256sum strings".split(
    " ",
  ),
);
const GIT = /^(?:log|show|diff|blame|status|ls-files|rev-parse)$/;

/** Whether a command certainly reads nothing from its standard input, so that the commands after it find all of it. */
export function leavesInput(argv: readonly Word[], effects: readonly Effect[]): boolean {
  const [program = "", ...starts] = argv.map(prefix);
  if (effects.some(isInput)) return false;
  if (NEVER.has(program)) return true;
  if (ASKS.has(program)) return !starts.some((start) => /^-[^-]*i|^--int/i.test(start));
  if (program === "git")
    return GIT.test(starts[0] ?? "") && !starts.some((start) => /^-$|stdin/.test(start));
  return READERS.has(program) && namesFile(program, argv, effects);
}

const isInput = (effect: Effect): boolean =>
  "path" in effect && /^\/(?:dev\/(?!null$)|proc\/)/.test(effect.path.text ?? "");

function namesFile(program: string, argv: readonly Word[], effects: readonly Effect[]): boolean {
  const spec = program === "sed" ? SED : specOf(program);
  if (spec === undefined) return false;
  const { options, operands, unknownOptions } = parseArgs(spec, argv, 1, { posix: false });
  return (
    unknownOptions.length === 0 &&
    // If an option names the file, such as one of patterns, the program still reads its input.
    options.every(({ option }) => option.role === "data") &&
    operands.every(({ word }) => word.text !== "-") &&
    effects.some(isFound) &&
    // Any other file may be a link to the input.
    effects.every((effect) => effect.kind !== "read" || isFound(effect))
  );
}

const isFound = (effect: Effect): boolean => "path" in effect && effect.found !== undefined;

/** Whether a redirection may give a program a second way to read the standard input: another number, or a file. */
export const sharesInput = ({ operator, target }: Redirection): boolean =>
  /^[<>]&$/.test(operator)
    ? !/^(?:[12]|-)$/.test(target?.text ?? "")
    : /^<>?$/.test(operator) &&
      target?.found === undefined &&
      target?.pipe !== true &&
      target?.text !== "/dev/null";
