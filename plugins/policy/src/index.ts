export { policy, policyWarnings } from "./policy.ts";
export { policySources, type PolicySources } from "./inspect.ts";
export type { PolicyOptions } from "./options.ts";
