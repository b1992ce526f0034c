import type { CallFacts } from "../match/call-facts.ts";
import type { MarkReference } from "./mark-reference.ts";
import type { MarkState } from "./mark-state.ts";

/** The marks of the run before a call, for the conditions of rules. */
export interface Past {
  /** Whether the call belongs to a recorded run. Without one, no mark is certain. */
  readonly recorded: boolean;
  /** The state of the mark with this key. Undefined if there is no such mark. */
  stateOf(key: string): MarkState | undefined;
  /** Whether a mark may be set, by earlier calls or by other commands of the same line (their order is unknown). */
  mayBe(key: string, reference: MarkReference, facts: CallFacts): boolean;
  /** Whether earlier calls certainly set a mark. */
  isSure(key: string, reference: MarkReference): boolean;
}

/** The marks before a call or command. Undefined if the policies define no marks. */
export const pastOf = ({ moment }: CallFacts): Past | undefined => moment.past as Past | undefined;

export function setPast({ moment }: CallFacts, past: Past): void {
  moment.past = past;
}
