export {
  constitutionOf,
  resetConstitution,
  touchConstitution,
  updateConstitution,
  type RuleAuthor,
} from "./actions.ts";
export { constitution, hasOwnRules } from "./constitution.ts";
export {
  constitutionText,
  publishedRules,
  type PublishedRule,
  type PublishedRules,
} from "./frame.ts";
export { RULE_LIFE_MS, type Author, type ConstitutionRule, type RuleInput } from "./rule.ts";
export { constitutionState, rulesFor, type Constitution } from "./state.ts";
export { CONSTITUTION_TOOLS, type ConstitutionContext } from "./tools.ts";
export { CONSTITUTION_EVENTS as EVENT_TYPES } from "./state.ts";
