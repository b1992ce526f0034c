import type { Effect, ToolCall } from "@bylaw/kernel";
import type { Rule, RuleSource } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { Shape } from "./shape.ts";

/** How serious a finding is: an error is a mistake, a warning may be one, an info is a hint. */
export type LintSeverity = "error" | "warning" | "info";

/** One finding of `lint`. `line` and `column` count from 1. */
export interface LintFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly severity: LintSeverity;
  /** The problem, in one sentence. */
  readonly message: string;
  readonly fix?: string;
}

/** One rule of the pool that is linted. */
export interface LintRule {
  readonly rule: Rule;
  readonly source: RuleSource;
  /** The conditions of the rule, with every alternative expanded. */
  readonly shape: Shape;
  /** The lines or names of the rule's `match`. */
  readonly cases: readonly string[];
  /** The rule's rank: of two rules that match, the one with the lower rank never decides. */
  readonly rank: number;
}

/** The rules of all files that are linted together. */
export interface LintPool {
  readonly rules: readonly LintRule[];
  readonly tools: ToolTable;
  /** The effect for a call that no rule covers. */
  readonly fallback: Effect;
  /** The effect of a call, including the default. Rules with `when` are ignored, because a sample call has no state. */
  effectOf(call: ToolCall): Effect;
  /** Whether some rule decides a call, so that the approval mode does not. */
  votes(call: ToolCall): boolean;
}

/** Reports one finding at a key of a rule. */
export type LintReport = (
  rule: LintRule,
  key: readonly (string | number)[],
  message: string,
  fix?: string,
) => void;

/** The description of a check. `docs/lint.md` explains each code. */
export interface LintDescription {
  readonly code: string;
  readonly severity: LintSeverity;
}

export interface LintCheck extends LintDescription {
  readonly check: (pool: LintPool, report: LintReport) => void;
}
