export { PolicyError, type PolicyFinding } from "./load/finding.ts";
export { parsePolicy } from "./load/parse-policy.ts";
export { POLICY_LIMITS } from "./load/parse-options.ts";
export { compiledPolicy, isCompiledPolicy } from "./load/compiled-policy.ts";
export type { CompiledPolicy, ParseOptions } from "./load/parse-options.ts";
export type { PolicyFile } from "./load/policy-file.ts";
export {
  compilePolicy,
  withoutRules,
  type PolicyPool,
  type PoolOptions,
} from "./decide/policy-pool.ts";
export type { PoolRule, RuleReport } from "./explain/rule-reports.ts";
export type { CommandGlob } from "./paths/call-paths.ts";
export { POLICY_CODES } from "./decide/unknown-votes.ts";
export { runStateOf, type RunState } from "./match/run-state.ts";
export { MARKS_PROJECTION } from "./marks/run-marks.ts";
export { MARK_CLEARED, type PoolMarks } from "./marks/recorded-marks.ts";
export type { PolicyPlace } from "./load/tier-limit.ts";
export { type Rule, type RuleSource, type Tier } from "./compile/rule.ts";
export {
  DEFAULT_TOOLS,
  extendTools,
  type FileTool,
  type ToolTable,
  type ToolTableExtension,
} from "./compile/tool-table.ts";
export type { CompatPolicy } from "./compat/compat-policy.ts";
export {
  coverPolicy,
  type Coverage,
  type CoverageInput,
  type RuleCoverage,
} from "./prove/coverage.ts";
export { callTargets } from "./explain/call-targets.ts";
export { lineReport, type LineReport } from "./explain/line-report.ts";
export { expectationFault, type CaseOutcome, type Expectation } from "./prove/expectation.ts";
export { inlineCasesOf, type InlineCase } from "./prove/inline.ts";
export { inlineCallsOf, type InlineCall } from "./suggest/inline-calls.ts";
export {
  mutatePolicy,
  type Mutation,
  type MutationInput,
  type SurvivingMutation,
} from "./prove/mutate.ts";
export type { MutationKind } from "./prove/mutants.ts";
export { callShape } from "./suggest/call-shape.ts";
export {
  suggestRule,
  type Suggestion,
  type SuggestionInput,
  type SuggestionOutcome,
} from "./suggest/suggest-rule.ts";
export { lintChecks, lintPolicies } from "./lint/lint-policies.ts";
export type { LintDescription, LintFinding, LintSeverity } from "./lint/check.ts";
export { policyJsonSchema } from "./load/json-schema.ts";
export { importPolicy } from "./import/import-policy.ts";
export type { ImportFinding, ImportedPolicy, ImportInput, ImportSource } from "./import/finding.ts";
