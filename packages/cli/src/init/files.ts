export type InitFormat = "ts" | "json" | "yaml" | "toml";

/** The ruleset that a new configuration extends. With `none`, only the project's own policy decides. */
export type InitRuleset = "everyday" | "recommended" | "none";

/** The path of the starter policy, relative to the configuration. */
export const POLICY_FILE = ".bylaw/policy.toml";

/** Where the sessions of coding agents are recorded: the store, and a file for each run. */
export const RECORDS = [".bylaw/store.db", ".bylaw/logs"] as const;

/** The starter configuration. */
export function configText(format: InitFormat, ruleset: InitRuleset): string {
  return CONFIGS[format](ruleset === "none" ? undefined : ruleset);
}

// Editors read these to complete keys and to underline mistakes.
const CONFIG_SCHEMA = "./node_modules/@bylaw/cli/schemas/config.json";
const SCHEMA = "#:schema ../node_modules/@bylaw/cli/schemas/policy.json";

// The store has each event on the disk before its call runs. The log files repeat it, so they may reach the disk later.
const CONFIGS: Readonly<Record<InitFormat, (ruleset: string | undefined) => string>> = {
  ts: (ruleset) => `import { defineConfig } from "@bylaw/kernel";
import { eventLog } from "@bylaw/plugin-event-log";
import { policy } from "@bylaw/plugin-policy";
${ruleset === undefined ? "" : `import { ${ruleset} } from "@bylaw/ruleset-${ruleset}";\n`}
export default defineConfig({
${ruleset === undefined ? "" : `  extends: [${ruleset}],\n`}  plugins: [policy({ files: ["${POLICY_FILE}"] }), eventLog({ durability: "batched" })],
  fallback: "ask_user",
});
`,
  json: (ruleset) => `{
  "$schema": "${CONFIG_SCHEMA}",
${ruleset === undefined ? "" : `  "extends": ["@bylaw/ruleset-${ruleset}"],\n`}  "plugins": [
    { "use": "@bylaw/plugin-policy", "options": { "files": ["${POLICY_FILE}"] } },
    { "use": "@bylaw/plugin-event-log", "options": { "durability": "batched" } }
  ],
  "fallback": "ask_user"
}
`,
  yaml: (ruleset) => `# yaml-language-server: $schema=${CONFIG_SCHEMA}
${ruleset === undefined ? "" : `extends: ["@bylaw/ruleset-${ruleset}"]\n`}plugins:
  - use: "@bylaw/plugin-policy"
    options:
      files: [${POLICY_FILE}]
  - use: "@bylaw/plugin-event-log"
    options:
      durability: batched
fallback: ask_user
`,
  toml: (ruleset) => `#:schema ${CONFIG_SCHEMA}
${ruleset === undefined ? "" : `extends = ["@bylaw/ruleset-${ruleset}"]\n`}fallback = "ask_user"

[[plugins]]
use = "@bylaw/plugin-policy"
options = { files = ["${POLICY_FILE}"] }

[[plugins]]
use = "@bylaw/plugin-event-log"
options = { durability = "batched" }
`,
};

/** The starter policy, with a rule that allows `tasks`. */
export function policyText(ruleset: InitRuleset, tasks: readonly string[]): string {
  if (ruleset === "none") return OWN_POLICY;
  const rule =
    tasks.length === 0
      ? EXAMPLE
      : `[[rules]]
name = "project-tasks"
action = "allow"
command = [
${tasks.map((task) => `  "${task} *",\n`).join("")}]
reason = "Runs a task that the project declares"
`;
  return `${SCHEMA}
# Rules beside those of @bylaw/ruleset-${ruleset}. The strictest decides; a person decides about calls that no rule matches.
default = "ask_user"

${rule}`;
}

const EXAMPLE = `# [[rules]]
# name = "seed-the-database"
# action = "allow"
# command = "npm run db:seed *"
# reason = "Fills the database of this machine"
`;

const OWN_POLICY = `${SCHEMA}
# What agents may do in this folder. The strictest rule decides; a person decides about calls that no rule matches.
default = "ask_user"

[[rules]]
name = "read-the-project"
action = "allow"
tool = "read_file|read_many_files|Read|list_directory|LS|glob|Glob|grep|Grep|grep_search"
paths = { read = "./**" }
reason = "Reading inside the workspace changes nothing"

[[rules]]
name = "see-the-status"
action = "allow"
command = "git status"
reason = "Looking at the state of the repository changes nothing"

[[rules]]
name = "no-secret-files"
action = "deny"
paths = ["**/.env", "**/.env.*", "~/.ssh/**", "~/.aws/**"]
reason = "This file usually holds secrets and is off limits."
fix = "Leave the values to a person."

[[rules]]
name = "no-force-push"
action = "deny"
command = "git push --force *"
reason = "A force push can overwrite other people's commits."
fix = "Push to a branch and open a pull request."

[[rules]]
name = "people-change-the-rules"
action = "ask_user"
final = true
paths = { write = [".bylaw/**", "bylaw.config.*"] }
reason = "This may change the rules that govern this agent, so a person must look first."
`;
