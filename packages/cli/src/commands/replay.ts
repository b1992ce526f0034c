import { isBylawError } from "@bylaw/config";
import { BylawError, type Kernel } from "@bylaw/kernel";
import { usageError } from "../io/report-error.ts";
import { loadKernelFor, type KernelSourceOptions } from "../decide/kernel-source.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { sourceOf } from "../log/log-source.ts";
import { decidedBy, replayLines, resultText } from "../replay/replay-lines.ts";
import { createReplayCount } from "../replay/replay-report.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the latest)"],
  ["--policy <file...>", "the candidate; without --config it decides alone"],
  ["--config <file>", "a configuration to add the candidate to, or to use as the candidate"],
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

/** Decides recorded calls again with a candidate, and lists every decision that changes. The exit code is 1 if one does. */
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
  // Calls without recorded decisions are compared with those of the present configuration, without the candidate's policies.
  let present: Kernel | undefined;
  const inForce = async (): Promise<Kernel> =>
    (present ??= await kernelInForce(
      log,
      config === undefined || policy.length === 0 ? {} : { config },
    ));
  const count = createReplayCount();
  await replayLines(source, {
    candidate,
    before: async ({ recorded, subject }) =>
      recorded ?? (await decidedBy(await inForce(), subject)),
    count,
    textOf: (result) => resultText(result, { json }),
  });
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
