// Stands in for Claude Code: runs the installed hook for three calls, as Claude Code does before each call.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const { hooks } = JSON.parse(readFileSync(".claude/settings.local.json", "utf8"));
const [{ command }] = hooks.PreToolUse[0].hooks;
const cwd = process.cwd();

const calls = [
  ["Write", { file_path: `${cwd}/src/refund.js`, content: "" }],
  ["Write", { file_path: `${cwd}/migrations/001.sql`, content: "" }],
  ["Bash", { command: "git push --force origin main" }],
];
for (const [tool_name, tool_input] of calls) {
  const event = { hook_event_name: "PreToolUse", session_id: "s1", cwd, tool_name, tool_input };
  const { stdout } = spawnSync(command, { shell: true, input: JSON.stringify(event) });
  const { permissionDecision = "no opinion", permissionDecisionReason = "as without Bylaw" } =
    JSON.parse(stdout).hookSpecificOutput ?? {};
  console.log(`${tool_name}: ${permissionDecision}: ${permissionDecisionReason}`);
}
