import { answerOf, EXIT_OF_EFFECT } from "../answer.ts";
import { callFrom, type CallOptions } from "../call-options.ts";
import { kernelFrom } from "../kernel-source.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { answerText, explanationText } from "../render.ts";
import { paintFor } from "../text.ts";

/** Prints a decision with every tap's answer and what it says about its rules; the exit code is the verdict. */
export async function explain(options: CallOptions): Promise<void> {
  const call = callFrom(options);
  const kernel = await kernelFrom(options);
  const explanation = await kernel.explain(await kernel.prepare(call));
  const { decision, taps } = explanation;
  const answer = answerOf(decision, { explain: false });
  const paint = paintFor(process.stdout);
  await write(
    options.json === true
      ? jsonLine({ decision: answer, taps })
      : `${answerText(answer, call, paint)}\n\n${explanationText(explanation, paint)}\n`,
  );
  conclude(EXIT_OF_EFFECT[decision.effect]);
}
