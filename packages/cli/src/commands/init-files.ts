/** The formats that `bylaw init` writes. */
export type InitFormat = "ts" | "json" | "yaml" | "toml";

/** Where the starter policy goes, relative to the configuration. */
export const POLICY_FILE = ".bylaw/policy.toml";

/** The starter configuration, by format. */
export const CONFIGS: Readonly<Record<InitFormat, string>> = {
  ts: `import { defineConfig } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";

export default defineConfig({
  plugins: [policy({ files: ["${POLICY_FILE}"] })],
  fallback: "ask_user",
});
`,
  json: `{
  "plugins": [{ "use": "@bylaw/plugin-policy", "options": { "files": ["${POLICY_FILE}"] } }],
  "fallback": "ask_user"
}
`,
  yaml: `plugins:
  - use: "@bylaw/plugin-policy"
    options:
      files: [${POLICY_FILE}]
fallback: ask_user
`,
  toml: `fallback = "ask_user"

[[plugins]]
use = "@bylaw/plugin-policy"
options = { files = ["${POLICY_FILE}"] }
`,
};

/** The starter policy. */
export const POLICY = `# What agents may do in this folder. The strictest matching rule decides: deny, then ask_user, then allow.
# What no rule matches is left to a person.
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
