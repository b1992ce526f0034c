// Records calls that rules change, with the real hook of Claude Code.
import { join } from "node:path";
import { bylaw, scratch } from "./bylaw.ts";

const rule = (name: string, action: string, command: string, offered: string, note = ""): string =>
  `
[[rules]]
name = "${name}"
action = "${action}"
command = "${command}"
instead = { command = "${offered}"${note === "" ? "" : `, description = ${JSON.stringify(note)}`} }
`;

/** `note`: a description that the rule of `git push --force` sets. */
const rulesOf = (note: string): string => `
[[marks]]
name = "read-a-secret"
paths = { read = ["**/.env"] }

[[rules]]
name = "no-network-after-a-secret"
action = "deny"
effects = ["network"]
after = "read-a-secret"
${rule("lease", "deny", "git push --force *", "git push --force-with-lease", note)}
${rule("dry-first", "ask_user", "npm publish *", "npm publish --dry-run")}
${rule("uncovered", "deny", "make install", "make uncovered")}
[[rules]]
name = "harmless"
action = "allow"
command = ["git push --force-with-lease", "ls *"]

[[rules]]
name = "dry"
action = "allow"
overrides = ["dry-first"]
command = "npm publish --dry-run"
`;

const CONFIG = JSON.stringify({
  plugins: [
    {
      use: "@bylaw/plugin-policy",
      options: { files: ["rules.toml"], operator: true, discover: "none" },
    },
  ],
});

/** The run of {@link recordOffers}. */
export const OFFERS_RUN = "claude-code-s1";

/** The folder of a project in whose store the agent made these calls. Each decision is one event, and so is one about an offer. */
export function recordOffers(commands: readonly string[], note = ""): string {
  const cwd = scratch({ "rules.toml": rulesOf(note), "bylaw.config.json": CONFIG });
  for (const [at, command] of commands.entries()) {
    const args = ["hook", "claude-code", "--config", join(cwd, "bylaw.config.json")];
    const event = { hook_event_name: "PreToolUse", session_id: "s1", cwd, tool_use_id: `c${at}` };
    const call = { tool_name: "Bash", tool_input: { command } };
    const ran = bylaw(args, { cwd, input: JSON.stringify({ ...event, ...call }) });
    if (ran.code !== 0) throw new Error(ran.stderr);
  }
  return cwd;
}
