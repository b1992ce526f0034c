import { resolve } from "node:path";
import type { Run } from "@bylaw/log";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { moveWorkflow, releaseWorkflow, workflowState, type LoadedTemplate } from "@bylaw/runner";
import { answererOf, confirmed } from "../approve/authority.ts";
import { plain } from "../text.ts";
import type { RunPlugins } from "./run-kernel.ts";

/** Says who resumes, or that it is nobody in particular: after a crash anybody may. Throws what `answererOf` throws. */
export type Person = (what: string) => Promise<string | undefined>;

/** Who resumes, as the command line and the token say. `file`: the configuration, whose folder has the operators. */
export function personOf({ by }: { readonly by?: string }, file: string | undefined, token: string | undefined): Person {
  return async (what) => {
    // A supervisor that starts again what fell over is no person, and ends no pause.
    if (by === undefined && (token === undefined || token === "")) return undefined;
    const who = answererOf(file ?? resolve("bylaw.config"), by, token);
    if (who.ask && !(await confirmed(`${what} as ${plain(who.by)}\nType yes to go on: `)))
      throw unauthorized("Unexpected answer at the terminal, expected `yes`", "resume again when it may go on");
    return who.by;
  };
}

/** What may change how a run goes on. */
export interface Resume {
  readonly from: number | undefined;
  readonly migrate: boolean;
  readonly person: Person;
  readonly plugins: RunPlugins;
}

/** What a person does who resumes: ends the pauses, lets go what is held, goes to another step. */
export async function resumeAs(run: Run, { definition }: LoadedTemplate, { from, migrate, person, plugins }: Resume): Promise<void> {
  const { pauses, hold } = run.view(workflowState);
  if (pauses.length === 0 && hold === null && from === undefined) return;
  const by = await person(`Go on with ${plain(run.run)}`);
  if (by === undefined) {
    if (from === undefined) return;
    throw unauthorized("Unexpected `--from` by nobody, expected a person", "say who you are with `--by`, or bring an operator's token");
  }
  for (const { checkpoint } of pauses) await plugins.checkpoint.resumeCheckpoint(run, { checkpoint, by, definition, migrate });
  if (hold !== null) await releaseWorkflow(run, { by });
  if (from !== undefined) await moveWorkflow(run, { by, to: from });
}
