import type { CallFacts } from "../match/call-facts.ts";
import type { MarkReference } from "./mark-reference.ts";
import type { MarkState } from "./mark-state.ts";

/** The marks of the run before a call, for the conditions of rules. */
export interface EarlierMarks {
  /** Whether the call belongs to a recorded run. Without one, no mark is certain. */
  readonly recorded: boolean;
  /** The states of the marks with these keys. */
  statesOf(keys: readonly string[]): readonly (MarkState | undefined)[];
  /** Whether one of the marks may be set, by earlier calls or by other commands of the same line (their order is unknown). */
  mayBe(keys: readonly string[], reference: MarkReference, facts: CallFacts): boolean;
  /** Whether earlier calls certainly set one of the marks. */
  isSure(keys: readonly string[], reference: MarkReference): boolean;
}

/** The marks before a call or command. Undefined if the policies define no marks. */
export const earlierMarksOf = ({ moment }: CallFacts): EarlierMarks | undefined =>
  moment.earlierMarks as EarlierMarks | undefined;

export function setEarlierMarks({ moment }: CallFacts, marks: EarlierMarks): void {
  moment.earlierMarks = marks;
}
