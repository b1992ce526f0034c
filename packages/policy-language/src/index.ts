export { PolicyError, type PolicyFinding } from "./finding.ts";
export { POLICY_LIMITS, parsePolicy, type ParseOptions, type PolicyFile } from "./parse.ts";
export { compilePolicy, withoutRules, type PolicyPool, type PoolOptions, type PoolRule, type RuleReport } from "./pool.ts";
export { PATHS_PLUGIN, absolutePath, segmentsOf } from "./paths.ts";
export { POLICY_CODES } from "./unknown.ts";
export { TIERS, type Rule, type RuleSource, type Tier } from "./rule.ts";
export { DEFAULT_TOOLS, extendTools, type FileTool, type ToolTable, type ToolTableExtension } from "./tools.ts";
export type { RadiumPolicy } from "./radium.ts";
