import { omitUndefined, type Decision, type Effect, type JsonObject } from "@bylaw/kernel";
import type { RuleReference } from "./rule-text.ts";

type Vote = Decision["votes"][number];

/** A decision as the command line prints it. Scripts depend on this format. */
export interface Answer {
  readonly id?: string | number;
  readonly effect: Effect;
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  readonly instead?: JsonObject;
  readonly rule?: RuleReference;
  readonly votes?: readonly Vote[];
  readonly enforcement_mode: string;
}

export const EXIT_OF_EFFECT: Readonly<Record<Effect, number>> = { allow: 0, deny: 1, ask_user: 3 };

/** The printed form of a decision. */
export function answerOf(
  { effect, code, reason, fix, instead, rule, votes, enforcement_mode }: Decision,
  { id, explain }: { readonly id?: string | number | undefined; readonly explain: boolean },
): Answer {
  return {
    ...(id === undefined ? {} : { id }),
    effect,
    code,
    reason,
    ...omitUndefined({ fix, instead, rule }),
    ...(explain ? { votes } : {}),
    enforcement_mode,
  };
}
