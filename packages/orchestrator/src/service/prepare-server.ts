import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { ignoreRecords } from "@bylaw/config";
import { BylawError, type Plugin } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import { distinctOperators, type OperatorList } from "../auth/operator-list.ts";
import { questionsPlugin } from "../approvals/ask-user.ts";
import { checkExposure } from "../config/exposure.ts";
import { guardCode } from "../config/guard-code.ts";
import { checkRoot } from "../config/root.ts";
import { readSecrets, type Secrets } from "../config/secrets.ts";
import { checkFolders, serverFiles, settingsFiles } from "../config/server-files.ts";
import { CONTRACT, settingsSchema, type Settings, type SettingsInput } from "../config/settings.ts";
import { readTokenKeys } from "../config/token-keys.ts";
import { serviceEvents } from "../events/event-types.ts";
import type { Log } from "../observe/logger.ts";
import { holdersPlugin } from "../tasks/holders.ts";
import { makeWorkspace } from "../tasks/workspace.ts";
import { openCallsPlugin } from "../tools/open-calls.ts";
import { configuredRules, usualRules, type Rules } from "./kernel.ts";
import type { OrchestratorOptions } from "./options.ts";

/** What a server starts from, before it opens its store. */
export interface PreparedServer {
  readonly settings: Settings;
  /** Absolute. */
  readonly data: string;
  /** Absolute. */
  readonly workspace: string;
  readonly rules: Rules;
  readonly secrets: Secrets;
  /** Texts of secrets, which no log line and no answer may hold. */
  readonly secretTexts: readonly string[];
  readonly operators: OperatorList;
}

/** Reads the settings, rules and secrets of a server, and refuses what would put it in the hands of its agents. */
export async function prepareServer(
  options: OrchestratorOptions,
  log: Log,
): Promise<PreparedServer> {
  const settings = settingsOf(options.settings ?? {});
  const data = resolve(settings.data);
  const workspace = resolve(settings.workspace);
  makeWorkspace(workspace, { wrapped: settings.tools.wrap.length > 0 });
  const guard = (): readonly string[] =>
    guardCode({ workspace, settings: settingsFiles(settings, options.settings_file) });
  const code = guard();
  checkRoot(settings, workspace, log);
  makeDataFolder(data);
  const secrets = readSecrets(settings, options.secrets ?? {});
  const files = serverFiles(settings, options.settings_file);
  const serverFilePaths = {
    kept: [...code, ...files.kept],
    hidden: [
      data,
      secrets.operators_file,
      ...(secrets.enrol.file === undefined ? [] : [secrets.enrol.file]),
      ...files.hidden,
    ],
  };
  const own = ownPlugins(settings);
  const rules =
    settings.config === undefined
      ? usualRules({
          own,
          serverFilePaths,
          workspace,
          keysOf: (terms) => readTokenKeys(settings, terms),
          policy: settings.policy.map((file) => resolve(file)),
          contract: resolve(settings.contract ?? CONTRACT),
          tools: (options.tools ?? []).map(({ name }) => name),
        })
      : await configuredRules({
          own,
          serverFilePaths,
          file: resolve(settings.config),
          bundled: options.bundled ?? {},
          guard,
        });
  const { signing, contract } = rules;
  const { enrol, operator, passwords } = secrets;
  const all = [enrol, ...(operator === undefined ? [] : [operator]), ...signing.secrets];
  const secretTexts = [...all.map(({ text }) => text), ...passwords, ...signing.unread];
  // A file may override a secret that was passed in, which is a secret all the same.
  if (options.secrets?.enrol !== undefined) secretTexts.push(options.secrets.enrol);
  log.conceal?.(secretTexts);
  const operators = distinctOperators(all, secrets.operators_file, log);
  checkExposure(settings, { operated: operator !== undefined || operators().length > 0 });
  checkFolders(settings, {
    tested: contract.evidence.testCommand !== undefined && !settings.workspace_per_task,
  });
  return { settings, data, workspace, rules, secrets, secretTexts, operators };
}

/** What the service itself declares. */
const ownPlugins = ({ tasks: { per_agent } }: Settings): readonly Plugin[] => [
  holdersPlugin({ per_agent }),
  openCallsPlugin(),
  questionsPlugin(),
  serviceEvents(),
];

function settingsOf(given: SettingsInput): Settings {
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: `Settings: ${describeIssues(parsed.error, "the settings")}`,
    fix: "See `bylaw serve --help` or docs/serve.md.",
  });
}

/** Makes the data folder, which git ignores. */
function makeDataFolder(data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  ignoreRecords(data);
}
