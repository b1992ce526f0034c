import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { writeGitignore, type BundledPackages } from "@bylaw/config";
import { BylawError, type Plugin } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import type { CallContext, Tool } from "@bylaw/tools";
import { describeIssues } from "@bylaw/wording";
import { questionsPlugin } from "../approvals/ask-user.ts";
import { distinctOperators, type OperatorList } from "../auth/operator-list.ts";
import { checkOversight, hasOversight } from "../behaviors/oversight.ts";
import { behaviorRefusals } from "../behaviors/refusals.ts";
import { checkExposure } from "../config/exposure.ts";
import { guardCode } from "../config/guard-code.ts";
import { checkRoot } from "../config/root.ts";
import { readSecrets, type Secrets, type GivenSecrets } from "../config/secrets.ts";
import { checkFolders, serverFiles, settingsFiles } from "../config/server-files.ts";
import { CONTRACT, settingsSchema, type Settings, type SettingsInput } from "../config/settings.ts";
import { readTokenKeys } from "../config/token-keys.ts";
import { serviceEvents } from "../events/event-types.ts";
import type { Log } from "../observe/log.ts";
import { holdersPlugin } from "../tasks/holders.ts";
import { makeWorkspace } from "../tasks/workspace.ts";
import { openCallsPlugin } from "../tools/open-calls.ts";
import { checkContract } from "./check-contract.ts";
import type { WhatAllows } from "./service.ts";
import { statusFile } from "./status-file.ts";
import { configuredRules, usualRules, type Rules } from "./kernel.ts";

/** What a server starts from, before it opens its store. */
export interface PreparedServer {
  readonly settings: Settings;
  /** Absolute. */
  readonly data: string;
  /** Absolute. */
  readonly workspace: string;
  readonly rules: Rules;
  readonly secrets: Secrets;
  /** The texts of secrets, which must not occur in a log line or an answer. */
  readonly secretTexts: readonly string[];
  readonly operators: OperatorList;
}

/** Reads the settings, rules and secrets of a server. Refuses anything through which agents could control it. */
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
          keysOf: (tokenSettings) => readTokenKeys(settings, tokenSettings),
          consensus: settings.consensus ? settings : undefined,
          callable: settings.behaviors.agents,
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
  checkContract(contract);
  const { enrol, operator, passwords } = secrets;
  const all = [enrol, ...(operator === undefined ? [] : [operator]), ...signing.secrets];
  const secretTexts = [...all.map(({ text }) => text), ...passwords, ...signing.unread];
  // A file may override a secret that was passed in. That one must stay secret too.
  if (options.secrets?.enrol !== undefined) secretTexts.push(options.secrets.enrol);
  log.conceal?.(secretTexts);
  const operators = distinctOperators(all, secrets.operators_file, log);
  checkExposure(settings, { operated: operator !== undefined || operators().length > 0 });
  checkFolders(settings, {
    tested: contract.evidence.testCommand !== undefined && !settings.workspace_per_task,
  });
  return { settings, data, workspace, rules, secrets, secretTexts, operators };
}

/** Plugins of the service itself. */
const ownPlugins = (settings: Settings): readonly Plugin[] => {
  const { tasks, status, config } = settings;
  const refusals = { oversight: hasOversight(settings), configured: config !== undefined };
  return [
    ...(status === undefined ? [] : [statusFile({ file: status })]),
    holdersPlugin({ per_agent: tasks.per_agent }),
    openCallsPlugin(),
    questionsPlugin(),
    serviceEvents(),
    behaviorRefusals(refusals),
  ];
};

function settingsOf(given: SettingsInput): Settings {
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return withoutContradiction(parsed.data);
  throw new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: `Settings: ${describeIssues(parsed.error, "the settings")}`,
    fix: "See `bylaw serve --help` or docs/serve.md.",
  });
}

function withoutContradiction(settings: Settings): Settings {
  checkOversight(settings);
  if (settings.config === undefined || !settings.consensus) return settings;
  throw new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: "`consensus` is for a server without a configuration",
    fix: "Add `consensus` of @bylaw/ruleset-consensus to `extends` of the configuration instead.",
  });
}

/** Creates the data folder, with a file that makes git ignore it. */
function makeDataFolder(data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeGitignore(data);
}

/** Options of a server. */
export interface OrchestratorOptions {
  /** The settings that differ from the defaults. */
  readonly settings?: SettingsInput;
  /** The file with these settings, which is hidden from agents. */
  readonly settings_file?: string | undefined;
  /** Secrets that are not in files. */
  readonly secrets?: GivenSecrets;
  /** An open store, which is not closed with the server. Default: the one in the settings. */
  readonly store?: Store;
  /** Whether to save a copy of the log's head in the data folder. Default: only without a given store. */
  readonly head_copy?: boolean;
  /** Packages that a configuration may use without installing them: the URL of the entry of each, by name. */
  readonly bundled?: BundledPackages;
  /** Tools for agents, in addition to those of the workspace, which they replace if they have the same name. */
  readonly tools?: readonly Tool<CallContext>[];
  /** Tells what would have allowed a recorded call, for the page. */
  readonly allowing?: WhatAllows;
  readonly log?: Log;
  /** Returns the time, RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
}
