import type { CallFacts } from "../match/call-facts.ts";
import type { MarkReference } from "./mark-reference.ts";
import type { MarkState } from "./mark-state.ts";

/** What a rule can ask about the run before a call. */
export interface Past {
  /** `false`: there is no run, so that nothing is certain. */
  readonly recorded: boolean;
  /** How a mark stands. */
  stateOf(key: string): MarkState | undefined;
  /** Whether a mark may be set: by calls before, or by other commands of the same line, in whatever order they run. */
  mayBe(key: string, reference: MarkReference, facts: CallFacts): boolean;
  /** Whether a mark is certain to be set, by calls before. */
  isSure(key: string, reference: MarkReference): boolean;
}

/** The past of a call and its commands; `undefined` if the policies have no marks. */
export const pastOf = ({ moment }: CallFacts): Past | undefined => moment.past as Past | undefined;

export function setPast({ moment }: CallFacts, past: Past): void {
  moment.past = past;
}
