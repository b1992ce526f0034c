import { takeToken } from "../approve/authority.ts";
import { openQuestions } from "../approve/open-questions.ts";
import { questionTable, questionText } from "../approve/question-text.ts";
import { RemoteApprovals } from "../approve/remote.ts";
import { findQuestion, projectOf, type ApproveOptions } from "../approve/session.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";

/** Prints the open questions, one per line. */
export async function listOpen(options: ApproveOptions): Promise<void> {
  const open = await openQuestions(options, takeToken());
  await write(
    options.json === true
      ? open.map(jsonLine).join("")
      : questionTable(open, paintFor(process.stdout)),
  );
  conclude(0);
}

/** Prints one question in full. Throws BYLAW_APPROVAL_MISSING. */
export async function showOpen(id: string, options: ApproveOptions): Promise<void> {
  const question =
    options.url === undefined
      ? (await findQuestion(await projectOf(options), options, id)).question
      : await new RemoteApprovals(options.url, takeToken()).read(id);
  await write(
    options.json === true ? jsonLine(question) : questionText(question, paintFor(process.stdout)),
  );
  conclude(0);
}
