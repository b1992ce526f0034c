import type { Question } from "@bylaw/orchestrator/approvals";
import { runsIn } from "../log/project-store.ts";
import { RemoteApprovals } from "./remote.ts";
import { lookAt, projectOf, type ApproveOptions } from "./session.ts";

/** The open questions of a server, or of the named run or all runs of a store. */
export async function openQuestions(
  options: ApproveOptions,
  token: string | undefined,
): Promise<readonly Question[]> {
  if (options.url !== undefined) return await new RemoteApprovals(options.url, token).list();
  const project = await projectOf(options);
  const found: Question[] = [];
  for (const place of await runsIn(options))
    found.push(
      ...(await lookAt(project, place, (questions) =>
        Promise.all(questions.open.map((one) => questions.read(one))),
      )),
    );
  return found;
}
