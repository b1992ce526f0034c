import type { Word } from "@bylaw/shell";
import type { Glob } from "./glob.ts";

/** Whether a pattern matches: 0 no, 1 perhaps (something is unknown), 2 yes. */
export type Certainty = 0 | 1 | 2;

/** A word of a command that is not an option. */
export interface Operand {
  /** The text of the word. Undefined if it is unknown. */
  readonly text: string | undefined;
  readonly word: Word;
  /** Whether the word follows an option and may be its value. */
  readonly after: boolean;
  /** Whether the word may turn out to be no operand, or several. */
  readonly loose: boolean;
}

/**
 * Whether the pattern's operands are, in order, the first operands of the command. Words that may be the value of an
 * option are skipped.
 */
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

/**
 * Like {@link alignKnown}, but an unknown word may be anything that lets the pattern match. Works row by row, so that
 * a long line stays cheap.
 */
export function alignAny(
  operands: readonly Glob[],
  given: readonly Operand[],
  open: boolean,
): boolean {
  const { length } = operands;
  // reach[p]: the first p operands of the pattern have been found before the current word.
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
      // One unknown word may become several words.
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

/** Whether some possible text of a word could match a glob. May return true for a word that cannot. */
export function mayFit(glob: Glob, { pieces, single }: Word): boolean {
  const [first] = pieces;
  const last = pieces.at(-1);
  // Of several words, only the first begins with the written text, and only the last ends with it.
  const split =
    !single && pieces.some((piece) => typeof piece !== "string" && piece.hole === "any");
  if (split) return true;
  if (typeof first === "string" && !glob.prefix.startsWith(first) && !first.startsWith(glob.prefix))
    return false;
  return typeof last !== "string" || glob.suffix.endsWith(last) || last.endsWith(glob.suffix);
}
