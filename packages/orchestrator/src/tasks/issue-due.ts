import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import {
  completeDirective,
  issueDirectives,
  openDirectives,
  type OpenDirective,
} from "@bylaw/plugin-phases";

/** The directive that the server carries out itself: the task board stores its state. */
const STATE_UPDATE = "update_prd_state";

/**
 * Issues the directives that the contract requires after the last transition of each task, or of one, and updates the `prd_state` of tasks.
 */
export async function issueDue(
  run: Run,
  contract: Contract,
  of: { readonly task?: string } = {},
): Promise<void> {
  await issueDirectives(run, contract, of);
  for (const open of openDirectives(run.view, of))
    if (open.action === STATE_UPDATE) await complete(run, open);
}

// Refused if another node was faster, or the task has moved on and so withdrawn the directive.
async function complete(run: Run, { task, directive }: OpenDirective): Promise<void> {
  try {
    await completeDirective(run, { task, directive, ok: true });
  } catch (error) {
    if (!(error instanceof BylawError) || error.code !== "BYLAW_EVENT_REFUSED") throw error;
  }
}
