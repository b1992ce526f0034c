import type { Effect, ToolCall, Verdict } from "@bylaw/kernel";

/** A compiled file with `compat`. It is evaluated on its own and casts one vote. */
export interface CompatPolicy {
  /** The rules, in the order in which they are tried. */
  readonly rules: readonly {
    readonly name: string;
    readonly line: number;
    readonly effect: Effect;
  }[];
  vote(call: ToolCall): Verdict;
  /** Whether the rule at that line matches the call, even if an earlier rule decides. */
  matches(call: ToolCall, line: number): boolean;
  /** Returns the same policy without the rules of these names. */
  without(names: ReadonlySet<string>): CompatPolicy;
}
