import type { Effect, ToolCall } from "@bylaw/kernel";
import type { Rule, RuleSource } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { Shape } from "./shape.ts";

/** How much a finding weighs: an error is a mistake, a warning a doubt, an info a hint. */
export type LintSeverity = "error" | "warning" | "info";

/** One thing that `lint` found. `line` and `column` count from 1. */
export interface LintFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly severity: LintSeverity;
  /** What is wrong, in one sentence. */
  readonly message: string;
  readonly fix?: string;
}

/** One rule of the pool that is looked at. */
export interface LintRule {
  readonly rule: Rule;
  readonly source: RuleSource;
  /** Its conditions, with every alternative apart. */
  readonly shape: Shape;
  /** The lines or names that its `match` gives. */
  readonly cases: readonly string[];
  /** Its standing: of two rules that match, the lower rank never decides. */
  readonly rank: number;
}

/** All rules of the files that are looked at together. */
export interface LintPool {
  readonly rules: readonly LintRule[];
  readonly tools: ToolTable;
  /** What a call comes to that no rule speaks about. */
  readonly fallback: Effect;
  /** What a call comes to, the default included. Rules with a `when` are left out: a made-up call has no state to ask about. */
  effectOf(call: ToolCall): Effect;
  /** Whether some rule speaks about a call, so that no mode does. */
  votes(call: ToolCall): boolean;
}

/** Takes one finding at a key of a rule. */
export type LintReport = (
  rule: LintRule,
  key: readonly (string | number)[],
  message: string,
  fix?: string,
) => void;

/** One thing that is looked for; `docs/lint.md` describes each code. */
export interface LintDescription {
  readonly code: string;
  readonly severity: LintSeverity;
}

export interface LintCheck extends LintDescription {
  readonly check: (pool: LintPool, report: LintReport) => void;
}
