import type { Word } from "@bylaw/shell";
import type { Glob } from "./glob.ts";

/** Whether a pattern matches: 0 no, 1 it may, as far as it can be known, 2 yes. */
export type Certainty = 0 | 1 | 2;

/** A word of a command that is no option. */
export interface Operand {
  /** Undefined where it is not known. */
  readonly text: string | undefined;
  readonly word: Word;
  /** It follows an option, so it may be its value. */
  readonly after: boolean;
  /** It may be no operand at all, or several. */
  readonly loose: boolean;
}

/** Whether the pattern's operands, in order, are the first of the command; what may be the value of an option is skipped. */
export function alignKnown(
  operands: readonly Glob[],
  given: readonly Operand[],
  open: boolean,
): boolean {
  let at = 0;
  for (const glob of operands) {
    while (at < given.length && !matchesKnown(glob, given[at]) && given[at]?.after === true) at++;
    if (!matchesKnown(glob, given[at])) return false;
    at++;
  }
  return open || given.slice(at).every(({ after }) => after);
}

function matchesKnown(glob: Glob, operand: Operand | undefined): boolean {
  if (operand === undefined) return false;
  return operand.text === undefined ? glob.any && !operand.loose : glob.matches(operand.text);
}

/** The same where every word that is not known is whatever lets the pattern match. Row by row, so that a long line stays cheap. */
export function alignAny(
  operands: readonly Glob[],
  given: readonly Operand[],
  open: boolean,
): boolean {
  const { length } = operands;
  // reach[p]: the first p operands of the pattern are found before the current word.
  let reach: boolean[] = [true, ...operands.map(() => false)];
  for (const operand of given) {
    if (open && reach[length] === true) return true;
    const next = reach.map(
      (here, p) => here && (operand.after || operand.loose || (p === length && open)),
    );
    for (let p = 0; p < length; p++) {
      const glob = operands[p];
      if (reach[p] !== true || glob === undefined || !mayMatch(glob, operand)) continue;
      next[p + 1] = true;
      // One word that is not known may be several.
      if (!operand.word.single)
        for (let more = p + 1; more < length && mayMatch(operands[more], operand); more++)
          next[more + 1] = true;
    }
    reach = next;
    if (!reach.includes(true)) return false;
  }
  return reach[length] === true;
}

function mayMatch(glob: Glob | undefined, { text, word }: Operand): boolean {
  if (glob === undefined) return false;
  return text === undefined ? mayFit(glob, word) : glob.matches(text);
}

/** Whether some text that a word may stand for could match a glob. It may say so of one that cannot. */
export function mayFit(glob: Glob, { pieces, single }: Word): boolean {
  const [first] = pieces;
  const last = pieces.at(-1);
  // Several words: only the first of them begins as it is written, and only the last ends so.
  const split =
    !single && pieces.some((piece) => typeof piece !== "string" && piece.hole === "any");
  if (split) return true;
  if (typeof first === "string" && !glob.prefix.startsWith(first) && !first.startsWith(glob.prefix))
    return false;
  return typeof last !== "string" || glob.suffix.endsWith(last) || last.endsWith(glob.suffix);
}
