import { lineReport } from "@bylaw/policy-language";
import { answerOf, EXIT_OF_EFFECT } from "../decide/answer.ts";
import { callFrom, type CallOptions } from "../decide/call-options.ts";
import { lineText } from "../decide/shell-line-text.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { policyBench } from "../cases/policy-bench.ts";
import { answerText, explanationText } from "../decide/answer-text.ts";
import { paintFor } from "../io/text.ts";

/** The options of `bylaw explain`. */
export interface ExplainCommandOptions extends CallOptions {
  readonly all?: boolean;
}

/**
 * Prints a decision, what its shell line would do, and every tap's answer with what it says about each of its rules; the exit
 * code is the verdict.
 */
export async function explain(options: ExplainCommandOptions): Promise<void> {
  const call = callFrom(options, "`--tool <name>`");
  const { kernel, sources } = await policyBench(options);
  const prepared = await kernel.prepare(call);
  const explanation = await kernel.explain(prepared);
  const { decision, taps } = explanation;
  const line = prepared.hook === "beforeToolCall" ? lineReport(prepared, sources.tools) : undefined;
  const answer = answerOf(decision, { explain: false });
  const paint = paintFor(process.stdout);
  const parts = [
    answerText(answer, call, paint),
    ...(line === undefined ? [] : [lineText(line, paint)]),
    explanationText(explanation, { paint, all: options.all === true }),
  ];
  await write(
    options.json === true
      ? jsonLine({ decision: answer, ...(line === undefined ? {} : { line }), taps })
      : `${parts.join("\n\n")}\n`,
  );
  conclude(EXIT_OF_EFFECT[decision.effect]);
}
