import { omitUndefined } from "@bylaw/kernel";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import { answererOf, askedFor, takeToken } from "../approve/authority.ts";
import { newQuestions } from "../approve/new-questions.ts";
import { questionText } from "../approve/question-text.ts";
import { reportAnswer } from "../approve/report-answer.ts";
import { projectOf } from "../approve/session.ts";
import { conclude } from "../io/exit-code.ts";
import { paintFor } from "../io/text.ts";
import { untilInterrupted } from "../io/until-interrupted.ts";
import { answerOnce, type AnswerOptions } from "./approve-answer.ts";

/** The options of `bylaw approve --watch`. */
export type WatchOptions = Omit<AnswerOptions, "reason" | "json">;

/**
 * Shows each question as it comes, and records what the person at the terminal says, until interrupted. A question that was left is not shown
 * again. A faulty answer is reported and the next question is shown.
 */
export async function watch(options: WatchOptions): Promise<void> {
  const token = takeToken();
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw unauthorized(
      "Only a person at a terminal can watch",
      "List the questions with `bylaw approve list --json` instead",
    );
  if (options.url === undefined) answererOf((await projectOf(options)).file, options.by, token);
  const stop = untilInterrupted();
  const answered = new Set<string>();
  for await (const question of newQuestions(options, token, stop)) {
    if (answered.has(question.id)) continue;
    answered.add(question.id);
    process.stderr.write(`\u0007${questionText(question, paintFor(process.stderr))}`);
    const isCall = question.kind === "call" && options.url === undefined;
    const said = await askedFor(
      `yes, no, ${isCall ? "always, " : ""}or anything else to leave it: `,
      stop,
    );
    const always = isCall && said === "always";
    if (said !== "yes" && said !== "no" && !always) continue;
    const reason = said === "no" ? await askedFor("What has to change: ", stop) : undefined;
    const verdict = said === "no" ? "rejected" : "approved";
    const { as, for: span, ...rest } = options;
    const ofKind =
      question.kind === "gate" ? { as } : question.kind === "call" ? { for: span } : {};
    const given = { ...rest, ...omitUndefined({ ...ofKind, reason }), always };
    // The rule has not been shown yet.
    const answering = { token, confirmed: !always };
    await reportAnswer({}, () => answerOnce(verdict, question.id, given, answering));
  }
  conclude(0);
}
