import { resolve } from "node:path";
import type { Run } from "@bylaw/log";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { moveWorkflow, releaseWorkflow, workflowState, type LoadedTemplate } from "@bylaw/runner";
import { answererOf, confirmed } from "../approve/authority.ts";
import { plain } from "../io/text.ts";
import type { RunPlugins } from "./run-kernel.ts";

/** Asks for consent to `what`. Returns who gave it, or undefined if nobody is named. Throws the errors of `answererOf`. */
export type Authorize = (what: string) => Promise<string | undefined>;

/** Takes the person from `--by` or the token. `file`: the configuration, whose folder has the operators file. */
export function authorizerOf(
  { by }: { readonly by?: string },
  file: string | undefined,
  token: string | undefined,
): Authorize {
  return async (what) => {
    // A supervisor that restarts a crashed run names nobody, so it cannot end a pause.
    if (by === undefined && (token === undefined || token === "")) return undefined;
    const who = answererOf(file ?? resolve("bylaw.config"), by, token);
    if (who.ask && !(await confirmed(`${what} as ${plain(who.by)}\nType yes to continue: `)))
      throw unauthorized("The answer was not `yes`", "Resume again when the run may continue");
    return who.by;
  };
}

/** Changes to how a run continues. */
export interface Resume {
  readonly from: number | undefined;
  readonly migrate: boolean;
  readonly authorize: Authorize;
  readonly plugins: RunPlugins;
}

/** Resumes a run for a person: ends pauses, releases a hold and moves to another step. */
export async function resumeAs(
  run: Run,
  { definition }: LoadedTemplate,
  { from, migrate, authorize, plugins }: Resume,
): Promise<void> {
  const { pauses, hold } = run.view(workflowState);
  if (pauses.length === 0 && hold === null && from === undefined) return;
  const by = await authorize(`Resume ${plain(run.run)}`);
  if (by === undefined) {
    if (from === undefined) return;
    throw unauthorized(
      "Going to another step with `--from` needs a person",
      "Say who you are with `--by`, or set an operator's token",
    );
  }
  for (const { checkpoint } of pauses)
    await plugins.checkpoint.resumeCheckpoint(run, { checkpoint, by, definition, migrate });
  if (hold !== null) await releaseWorkflow(run, { by });
  if (from !== undefined) await moveWorkflow(run, { by, to: from });
}
