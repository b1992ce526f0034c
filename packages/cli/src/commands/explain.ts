import { lineReport } from "@bylaw/policy-language";
import { answerOf, EXIT_OF_EFFECT } from "../decide/answer.ts";
import { callFrom, type CallOptions } from "../decide/call-options.ts";
import { lineText } from "../decide/shell-line-text.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { policyBench } from "../cases/policy-bench.ts";
import { answerText, explanationText } from "../decide/answer-text.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec } from "../command-line/command.ts";
import { CALL_OPTIONS } from "./check.ts";

export const command: CommandSpec = {
  options: [...CALL_OPTIONS, ["--all", "list every rule, not only the ten nearest"]],
  help: `
Exit code: 0 allow, 1 deny, 2 usage or configuration error, 3 ask_user.

Examples:
  $ bylaw explain --tool write_file --args '{"path":"src/main.ts"}'
  $ bylaw explain --tool bash --args '{"command":"rm -rf build"}' --policy .bylaw/policy.toml --json`,
  run: explain,
};

/**
 * Prints a decision, what its shell line would do, and every tap's answer with what it says about each of its rules; the exit
 * code is the verdict.
 */
async function explain(options: CallOptions & { readonly all?: boolean }): Promise<void> {
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
