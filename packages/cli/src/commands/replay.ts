import { isBylawError } from "@bylaw/config";
import {
  BylawError,
  messageOf,
  type Decision,
  type Kernel,
  type ToolCall,
  type View,
} from "@bylaw/kernel";
import { defaultsFrom } from "../decide/call-options.ts";
import { usageError } from "../io/report-error.ts";
import { foldingView } from "../log/folding-view.ts";
import { loadKernelFor, type KernelSourceOptions } from "../decide/kernel-source.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { sourceOf } from "../log/log-source.ts";
import { readRun } from "../log/open-store.ts";
import { textLines } from "../io/read-lines.ts";
import { logLine, type LogLine, type Recorded } from "../replay/recorded-call.ts";
import {
  createReplayCount,
  flipText,
  notReplayableText,
  type Flip,
  type NotReplayable,
} from "../replay/replay-report.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the latest)"],
  ["--policy <file...>", "the candidate; without --config it decides alone", { path: true }],
  [
    "--config <file>",
    "a configuration to add the candidate to, or to use as the candidate",
    { path: true },
  ],
  ["--json", "print JSON, one value per line"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: {
    log: [
      "events of a run, or calls, one JSON object per line; - reads standard input (default: the store)",
    ],
  },
  options: OPTIONS,
  help: `
Exit code: 0 no decision changes, 1 a decision changes, 2 usage or configuration error.

Examples:
  $ bylaw replay --policy candidate.toml
  $ bylaw replay run.jsonl --policy candidate.toml
  $ bylaw replay run.jsonl --policy candidate.toml --config bylaw.config.ts --json`,
  run: replay,
};

/** Decides what a log recorded once more, by a candidate, and lists what would come out differently: exit code 1 where anything does. */
async function replay(
  file: string | undefined,
  { policy = [], config, json = false, ...from }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  if (policy.length === 0 && config === undefined) {
    throw usageError(
      "There is no policy to replay against",
      "Name the candidate with `--policy <file>` or `--config <file>`",
    );
  }
  const source = await sourceOf(file === undefined ? [] : [file], from);
  const log = file ?? ("run" in source ? source.run : "");
  const candidate = await loadKernelFor({ policy, ...(config === undefined ? {} : { config }) });
  // Calls that no log recorded are held against what is in force: the configuration without the candidate's policies.
  let present: Kernel | undefined;
  const inForce = async (): Promise<Kernel> =>
    (present ??= await kernelInForce(
      log,
      config === undefined || policy.length === 0 ? {} : { config },
    ));
  const state = foldingView(candidate);
  const count = createReplayCount();
  const paint = paintFor(process.stdout);
  const defaults = defaultsFrom({ interactive: true });
  const read =
    "store" in source
      ? readRun(source.store, source.run)
      : textLines(source.files[0] ?? "", "BYLAW_LOG_INVALID");
  for await (const lines of read) {
    let text = "";
    for (const raw of lines) {
      const line = logLine(raw, log, defaults);
      const result = await again(line, candidate, state.view, inForce);
      if (line.event !== undefined) state.add(line.event);
      count.add(result);
      if (typeof result === "object" && "recorded" in result)
        text += json ? jsonLine({ flip: result }) : `${flipText(result, paint)}\n`;
      else if (typeof result === "object")
        text += json
          ? jsonLine({ not_replayable: result })
          : `${notReplayableText(result, paint)}\n`;
    }
    if (text !== "") await write(text);
  }
  await write(json ? jsonLine({ summary: count.summary() }) : `${count.text()}\n`);
  conclude(count.summary().flips > 0 ? 1 : 0);
}

async function kernelInForce(log: string, options: KernelSourceOptions): Promise<Kernel> {
  try {
    return await loadKernelFor(options);
  } catch (cause) {
    if (!isBylawError(cause) || cause.code !== "BYLAW_CONFIG_MISSING") throw cause;
    throw new BylawError({
      code: cause.code,
      message: `${cause.message}. \`${log}\` holds calls without decisions, so they are compared with the configuration in force.`,
      fix: "Run `bylaw replay` next to the configuration, name it with `--config`, or give the log of a run",
      cause,
    });
  }
}

async function again(
  line: LogLine,
  candidate: Kernel,
  view: View,
  inForce: () => Promise<Kernel>,
): Promise<Flip | NotReplayable | "same" | "no call"> {
  const { call, recorded, not_replayable: why, id } = line;
  const at = { line: line.line, ...(id === undefined ? {} : { sequence: id }) };
  if (why !== undefined) return { ...at, why };
  if (call === undefined) return "no call";
  try {
    const before = recorded ?? recordedOf(await decided(await inForce(), call));
    const after = recordedOf(await decided(candidate, call, view));
    return before.effect === after.effect
      ? "same"
      : { ...at, tool: call.tool, args: call.args, recorded: before, candidate: after };
  } catch (error) {
    if (!isBylawError(error) || error.code !== "BYLAW_SUBJECT_INVALID") throw error;
    return { ...at, why: messageOf(error) };
  }
}

async function decided(kernel: Kernel, call: ToolCall, view?: View): Promise<Decision> {
  return await kernel.decidePrepared(await kernel.prepare(call), view);
}

const recordedOf = ({ effect, code, rule }: Decision): Recorded => ({
  effect,
  code,
  ...(rule === undefined ? {} : { rule }),
});
