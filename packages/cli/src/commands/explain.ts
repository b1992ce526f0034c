import { lineReport } from "@bylaw/policy-language";
import { answerOf, EXIT_OF_EFFECT } from "../answer.ts";
import { callFrom, type CallOptions } from "../call-options.ts";
import { lineText } from "../line-text.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { policyBench } from "../policy-bench.ts";
import { answerText, explanationText } from "../render.ts";
import { paintFor } from "../text.ts";

/** The options of `bylaw explain`. */
export interface ExplainCommandOptions extends CallOptions {
  readonly all?: boolean;
}

/**
 * Prints a decision, what its shell line would do, and every tap's answer with what it says about each of its rules; the exit
 * code is the verdict.
 */
export async function explain(options: ExplainCommandOptions): Promise<void> {
  const call = callFrom(options, "--tool NAME");
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
    options.json === true ? jsonLine({ decision: answer, ...(line === undefined ? {} : { line }), taps }) : `${parts.join("\n\n")}\n`,
  );
  conclude(EXIT_OF_EFFECT[decision.effect]);
}
