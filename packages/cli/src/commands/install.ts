import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findConfig } from "@bylaw/config";
import {
  findInstallFault,
  inspectSettings,
  installHooks,
  type Host,
  type SettingsFile,
} from "@bylaw/host";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { CURL, HOOK_CLIENTS, IF_ABSENT_OPTION, hookCommand } from "../hosts/hook-command.ts";
import { hostNamed } from "../hosts/known-hosts.ts";
import { placeHere } from "../hosts/place.ts";
import { needsRun } from "../hosts/session-name.ts";
import { HOST_ARGUMENT, SCOPE_OPTIONS, scopeOf, targetOf } from "../hosts/scope.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { plain } from "../io/text.ts";
import { spanOf } from "../io/time-span.ts";

const OPTIONS = [
  ...SCOPE_OPTIONS,
  [
    "--config <file>",
    "the configuration that decides (default: the nearest one for --project, else ~/.config/bylaw)",
  ],
  ["--strict", "ask about calls that no rule covers, instead of leaving them to the agent"],
  IF_ABSENT_OPTION,
  [
    "--client <name>",
    "the program that the hook starts: node and curl ask a process that keeps the rules loaded, none loads them each time (default: node)",
    { words: HOOK_CLIENTS },
  ],
  [
    "--wait <span>",
    "hold a question until a person answers it in Bylaw, at most this long such as 10m; then the agent asks",
  ],
  ["--engine <dir>", "the folder of that process's socket (default: ~/.bylaw/run)"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: HOST_ARGUMENT,
  options: OPTIONS,
  help: `
Exit code: 0 installed, or it already was; 2 usage error, or a file that cannot be read or written.

Examples:
  $ bylaw install claude-code --project
  $ bylaw install claude-code --project --wait 10m
  $ bylaw install claude-code --project --strict --json`,
  run: install,
};

/** Puts the hook into the settings of a host. */
async function install(name: string, options: OptionsOf<typeof OPTIONS>): Promise<void> {
  const host = hostNamed(name);
  const scope = scopeOf(options);
  const config = await configFor(scope, options.config);
  // A hook that cannot decide would block every call.
  const records = needsRun(await loadKernelFor({ config }));
  const { strict = false, json = false, client = "node", ifAbsent: if_absent } = options;
  if (client === "curl") refuseCurl(scope);
  const engine = options.engine === undefined ? undefined : resolve(options.engine);
  const wait = secondsIn(host, options);
  const hook = hookCommand({ host: name, config, strict, engine, wait, if_absent }, client);
  // Every user of the machine must be able to read managed settings.
  const mode = scope === "managed" ? 0o644 : 0o600;
  const change = installHooks(host, targetOf(host, scope), hook, mode);
  const states = {
    updated: "Updated the hook for",
    unchanged: "The hook is already installed for",
  };
  const { [change.state as "updated"]: what = "Installed the hook for" } = states;
  const fault = findInstallFault(host, inspectSettings(host, placeHere(), process.cwd()));
  const note = scope === "managed" ? undefined : host.note;
  const lines = [
    `${what} ${host.title} in ${change.file}`,
    `  rules: ${config}`,
    ...(change.backup === undefined ? [] : [`  backup: ${change.backup}`]),
    ...(note === undefined ? [] : [note]),
    // The configuration for all projects keeps no record, because one store would mix them (ADR 0098).
    ...(records ? [] : [`Nothing is recorded. ${RECORD}`]),
    ...(await idleConfig(host, scope, config)),
    ...(fault === undefined ? [] : [`It is not in force here: ${fault}`]),
    `Check it with \`bylaw doctor ${name}\`. A running session may have to be restarted.`,
  ];
  await write(json ? jsonLine({ ...change, config, records }) : `${lines.map(plain).join("\n")}\n`);
  conclude(0);
}

const RECORD =
  "To keep a record, run `bylaw init` in a project and install with `--project`, or add `@bylaw/plugin-event-log` to the configuration.";

// People expect that the configuration of the project decides.
async function idleConfig(
  host: Host,
  scope: SettingsFile["scope"],
  deciding: string,
): Promise<readonly string[]> {
  if (scope === "project") return [];
  const own = await findConfig(process.cwd()).catch(() => undefined);
  if (own === undefined || own === deciding) return [];
  const files = host.files(placeHere(), process.cwd());
  const option = files.some((one) => one.scope === "project" && one.target)
    ? "--project"
    : "--config";
  return [`${own} does not decide. To let it, install with \`${option}\`.`];
}

/** The longest that a question may be held, in seconds. */
const MAX_WAIT_S = 3_600;

function secondsIn(host: Host, { wait, client }: OptionsOf<typeof OPTIONS>): number | undefined {
  if (wait === undefined) return undefined;
  if (host.holds !== true)
    throw usageError(`${host.title} runs a call whose hook takes long, so it takes no \`--wait\``);
  if (client === "curl")
    throw usageError("`--client curl` and `--wait` cannot be given together", "Remove one");
  const seconds = (spanOf(wait) ?? 0) / 1_000;
  if (seconds > 0 && seconds <= MAX_WAIT_S) return seconds;
  throw usageError(`\`--wait\` takes a span like 30s or 10m, at most 1h, not \`${wait}\``);
}

// The curl script names the socket of one user.
function refuseCurl(scope: SettingsFile["scope"]): void {
  if (scope === "managed")
    throw usageError("`--client curl` and `--managed` cannot be given together", "Remove one");
  if (!existsSync(CURL)) throw usageError(`File not found: ${CURL}`, "Use `--client node`");
}

// In a project, the project's own configuration decides. For all projects of a user, it is a file outside every project.
async function configFor(scope: SettingsFile["scope"], given: string | undefined): Promise<string> {
  if (given !== undefined) return resolve(given);
  if (scope === "project") return await findConfig(process.cwd());
  const folder = scope === "managed" ? "/etc/bylaw" : join(placeHere().home, ".config/bylaw");
  const file = join(folder, "bylaw.config.json");
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{ "extends": ["@bylaw/ruleset-recommended"] }\n', { flag: "wx" });
  }
  return file;
}
