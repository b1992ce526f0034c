export { constitutionOf, constitutionText, resetConstitution, touchConstitution, updateConstitution, type RuleAuthor } from "./actions.ts";
export { constitution } from "./constitution.ts";
export { RULE_LIFE_MS, RULE_LIMIT, type Author, type ConstitutionRule, type RuleInput } from "./rule.ts";
export { constitutionState, type Constitution } from "./state.ts";
export { CONSTITUTION_TOOLS, type ConstitutionTool } from "./tools.ts";
