import type { Kernel, Projection } from "@bylaw/kernel";
import { answeredOnce, currentPhases, openApprovals } from "./approval.ts";
import { policiesOnRecord } from "./policies.ts";
import { currentSession } from "./session.ts";
import { agentTurns } from "./turns.ts";

/** The projections of a run: its own and those of the plugins. One that two plugins declare is included once. */
export function projectionsOf({
  declared: { projections },
}: Kernel): readonly Projection<unknown>[] {
  const own = [currentSession, openApprovals, currentPhases, agentTurns, policiesOnRecord];
  return [...new Set([...own, ...projections] as readonly Projection<unknown>[])];
}

/** The guards of a run: its own, which lets a question be answered once, and those of the plugins. */
export const guardsOf = ({ declared: { guards } }: Kernel): Kernel["declared"]["guards"] => [
  { name: "bylaw/approvals", guard: answeredOnce },
  ...guards,
];
