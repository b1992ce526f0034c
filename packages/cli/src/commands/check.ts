import { answerBatch } from "../batch.ts";
import type { ToolCall } from "@bylaw/kernel";
import { answerOf, EXIT_OF_EFFECT, type Answer } from "../answer.ts";
import { callFrom, defaultsFrom, type CallOptions } from "../call-options.ts";
import { usageError } from "../fault.ts";
import { kernelFrom } from "../kernel-source.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { answerLine, answerText } from "../render.ts";
import { createSummary } from "../summary.ts";
import { paintFor } from "../text.ts";

/** The options of `bylaw check`. */
export interface CheckOptions extends CallOptions {
  readonly batch?: string;
  readonly explain?: boolean;
}

/** Decides one call, or every line of a batch, and sets the exit code. */
export async function check(options: CheckOptions): Promise<void> {
  if (options.batch === undefined) return await checkOne(options);
  if (options.tool !== undefined || options.args !== undefined) {
    throw usageError("Unexpected --tool or --args with --batch, expected the calls in the batch");
  }
  return await checkBatch(options.batch, options);
}

async function checkOne(options: CheckOptions): Promise<void> {
  const call = callFrom(options, "--tool NAME or --batch FILE");
  const kernel = await kernelFrom(options);
  const decision = await kernel.decide(await kernel.prepare(call));
  const answer = answerOf(decision, { explain: options.explain === true });
  await write(options.json === true ? jsonLine(answer) : `${answerText(answer, call, paintFor(process.stdout))}\n`);
  conclude(EXIT_OF_EFFECT[decision.effect]);
}

async function checkBatch(file: string, options: CheckOptions): Promise<void> {
  const kernel = await kernelFrom(options);
  const defaults = defaultsFrom(options);
  const explain = options.explain === true;
  if (options.json === true) await answerBatch(file, { kernel, defaults, explain, render: (answer) => jsonLine(answer) });
  else {
    const paint = paintFor(process.stdout);
    const summary = createSummary();
    const render = (answer: Answer, call: ToolCall | undefined): string => {
      summary.add(answer);
      return `${answerLine(answer, call, paint)}\n`;
    };
    await answerBatch(file, { kernel, defaults, explain, render });
    await write(`\n${summary.text()}\n`);
  }
  conclude(0);
}
