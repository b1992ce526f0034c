import { resolve } from "node:path";
import { createConfiguredKernel, findConfig } from "@bylaw/config";
import type { Config } from "@bylaw/kernel";
import { didYouMean, quote } from "@bylaw/wording";
import type { CommandSpec, GroupSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { settingsOf, usesOf, type ShownConfig } from "../config/shown-config.ts";
import { shownText } from "../config/shown-text.ts";
import { bundled } from "../decide/kernel-source.ts";
import { conclude, whileLoading } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";

const OPTIONS = [
  ["--config <file>", "the configuration (default: the nearest bylaw.config.* upwards)"],
  ["--why <plugin>", "show one plugin: every ruleset that brings it, and what drops it"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

const SHOW: CommandSpec = {
  options: OPTIONS,
  help: `
Exit code: 0 printed, 2 usage error, or a configuration that cannot be used.

Examples:
  $ bylaw config show
  $ bylaw config show --why @bylaw/plugin-policy --json`,
  run: show,
};

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw config show
  $ bylaw config show --why @bylaw/plugin-policy`,
  commands: {
    "show [options]": [
      "Show the settings and plugins that are in force, and which file or ruleset brings each",
      SHOW,
    ],
  },
};

/** Prints a configuration with everything resolved. */
async function show({ config, why, json = false }: OptionsOf<typeof OPTIONS>): Promise<void> {
  const file = config === undefined ? await findConfig(process.cwd()) : resolve(config);
  const all = await whileLoading(file, () => shown(file));
  const one = why === undefined ? all : { ...all, plugins: onlyOf(all, why) };
  await write(json ? jsonLine(one) : `${shownText(one, { settings: why === undefined })}\n`);
  conclude(0);
}

async function shown(file: string): Promise<ShownConfig> {
  let read: Config = {};
  const { kernel } = await createConfiguredKernel({
    file,
    bundled: bundled(),
    add: (_file, given) => {
      read = given;
      return [];
    },
  });
  return { file, settings: settingsOf(read, kernel, file), plugins: usesOf(read, kernel, file) };
}

function onlyOf({ plugins }: ShownConfig, name: string): ShownConfig["plugins"] {
  const found = plugins.filter(({ plugin }) => plugin === name);
  if (found.length > 0) return found;
  const names = plugins.map(({ plugin }) => plugin);
  throw usageError(
    `The configuration has no plugin ${quote(name)}`,
    didYouMean(name, names) ?? `It has ${names.join(", ") || "none"}`,
  );
}
