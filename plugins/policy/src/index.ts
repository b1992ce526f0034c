export { policy, policyWarnings } from "./policy.ts";
export type { PolicyOptions } from "./options.ts";
