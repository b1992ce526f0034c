import { nothingOpen } from "@bylaw/orchestrator/approvals";
import { questionTable, questionText } from "../approve/question-text.ts";
import { lookAt, projectOf, questionOf, type ApproveOptions } from "../approve/session.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";

/** Prints what waits for a person, in one line each. */
export async function listOpen(options: ApproveOptions): Promise<void> {
  const open = await lookAt(await projectOf(options), options, (questions) =>
    Promise.all(questions.open.map((one) => questions.read(one))),
  );
  await write(
    options.json === true
      ? open.map(jsonLine).join("")
      : questionTable(open, paintFor(process.stdout)),
  );
  conclude(0);
}

/** Prints all that there is to see of one question. Throws BYLAW_APPROVAL_MISSING. */
export async function showOpen(id: string, options: ApproveOptions): Promise<void> {
  const question = await lookAt(await projectOf(options), options, (questions) =>
    questionOf(questions, id),
  );
  if (question === undefined) throw nothingOpen(id);
  await write(
    options.json === true ? jsonLine(question) : questionText(question, paintFor(process.stdout)),
  );
  conclude(0);
}
