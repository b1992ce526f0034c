import type { Group } from "./kit.ts";
import { claimAdmission, taskClaims } from "./task-claims.ts";
import { taskFences } from "./task-fences.ts";
import { expiredLeases, leaseLimits, leaseRenewals, sweptLeases } from "./task-leases.ts";

const GROUPS = [
  taskClaims,
  claimAdmission,
  taskFences,
  expiredLeases,
  sweptLeases,
  leaseRenewals,
  leaseLimits,
];

/** What every store promises about claiming a task, and about the claim's fence and lease. */
export const tasks: Group = (test) => {
  for (const group of GROUPS) group(test);
};
