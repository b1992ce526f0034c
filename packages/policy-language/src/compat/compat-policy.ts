import type { Effect, ToolCall, Verdict } from "@bylaw/kernel";

/** A file with `compat`, compiled: it is read alone and casts one vote. */
export interface CompatPolicy {
  /** In the order in which they are tried. */
  readonly rules: readonly {
    readonly name: string;
    readonly line: number;
    readonly effect: Effect;
  }[];
  vote(call: ToolCall): Verdict;
  /** Whether the rule of that line matches, first or not. */
  matches(call: ToolCall, line: number): boolean;
  /** The same policy without the rules of these names. */
  without(names: ReadonlySet<string>): CompatPolicy;
}
