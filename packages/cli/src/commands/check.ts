import { answerBatch } from "../decide/batch.ts";
import { APPROVAL_MODES, type ToolCall } from "@bylaw/kernel";
import { answerOf, EXIT_OF_EFFECT, type Answer } from "../decide/answer.ts";
import { callFrom, defaultsFrom, withWords, type CallOptions } from "../decide/call-options.ts";
import { usageError } from "../io/report-error.ts";
import { decideHere } from "../decide/ask-run.ts";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { answerLine, answerText } from "../decide/answer-text.ts";
import { createSummary } from "../decide/batch-summary.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec, OptionSpec } from "../command-line/command.ts";

export interface CheckOptions extends CallOptions {
  readonly batch?: string;
  readonly explain?: boolean;
}

/** The options of the commands that decide a call. */
export const CALL_OPTIONS: readonly OptionSpec[] = [
  ["--tool <name>", "the tool to call"],
  ["--args <json>", "its arguments (default: {})"],
  ["--server <name>", "the MCP server, as the host names it"],
  ["--agent <id>", "the agent that calls"],
  ["--phase <name>", "the phase of its task"],
  [
    "--cwd <dir>",
    "the folder that the call runs in (default: the working directory)",
    { path: false },
  ],
  ["--approval-mode <mode>", "what to do when no rule matches", { words: APPROVAL_MODES }],
  ["--no-interactive", "nobody can be asked, so a question becomes a deny"],
  ["--policy <file...>", "policy files of the operator; without --config they decide alone"],
  ["--config <file>", "the configuration (default: the nearest bylaw.config.* upwards)"],
  ["--json", "print JSON"],
];

/** The argument of the commands that decide a call. */
export const CALL_WORDS = {
  words: ["a shell command behind `--`, instead of --tool bash; one word is a whole line"],
} as const;

export const command: CommandSpec = {
  arguments: CALL_WORDS,
  options: [
    ...CALL_OPTIONS,
    ["--batch <file>", "calls, one JSON object per line; - reads standard input"],
    ["--explain", "add every vote"],
  ],
  help: `
Exit code: 0 allow, 1 deny, 2 usage or configuration error, 3 ask_user. With --batch: 0 when every line was answered.

Examples:
  $ bylaw check --tool bash --args '{"command":"git push --force"}'
  $ bylaw check -- git push --force
  $ bylaw check --tool read_file --args '{"path":"README.md"}' --policy .bylaw/policy.toml --json
  $ echo '{"id":"1","tool":"read_file","args":{"path":"README.md"}}' | bylaw check --batch - --json`,
  run: checkWords,
};

const SUGGEST =
  "  `bylaw explain --suggest`, with the same options, shows the smallest rule that would allow this.\n";

/** Decides one call, which may be a shell command in words, or every line of a batch, and sets the exit code. */
export async function checkWords(words: readonly string[], options: CheckOptions): Promise<void> {
  await check(withWords(words, options));
}

async function check(options: CheckOptions): Promise<void> {
  if (options.batch === undefined) return await checkOne(options);
  if (options.tool !== undefined || options.args !== undefined) {
    throw usageError("A call cannot be given with `--batch`");
  }
  return await checkBatch(options.batch, options);
}

async function checkOne(options: CheckOptions): Promise<void> {
  const call = callFrom(options, "`--tool <name>`, `-- <command>` or `--batch <file>`");
  const kernel = await loadKernelFor(options);
  // Prepared separately, so that a call the kernel refuses is a usage error and not a denial.
  const decision = await decideHere(kernel, call);
  const answer = answerOf(decision, { explain: options.explain === true });
  await write(
    options.json === true
      ? jsonLine(answer)
      : `${answerText(answer, call, paintFor(process.stdout))}\n${answer.code === "fallback" ? SUGGEST : ""}`,
  );
  conclude(EXIT_OF_EFFECT[decision.effect]);
}

async function checkBatch(file: string, options: CheckOptions): Promise<void> {
  const kernel = await loadKernelFor(options);
  const defaults = defaultsFrom(options);
  const explain = options.explain === true;
  if (options.json === true)
    await answerBatch(file, { kernel, defaults, explain, render: (answer) => jsonLine(answer) });
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
