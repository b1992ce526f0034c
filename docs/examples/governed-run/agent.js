// Stands in for your agents. One gives the run a rule; the other asks the run before each command, as the hook of a coding agent does.
import { spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";

const [node, bin] = JSON.parse(process.env.BYLAW_MCP_COMMAND);
const bylaw = (...args) => JSON.parse(spawnSync(node, [bin, ...args, "--json"]).stdout);

if (process.argv[2] === "plan") {
  const check = { action: "deny", command: "npm publish *" };
  const rule = ["--rule", "Only a person publishes.", "--check", JSON.stringify(check)];
  bylaw("constitution", "update", ...rule);
} else {
  for (const command of ["npm run build", "npm publish"]) {
    const { effect, reason } = bylaw(
      "check",
      "--tool",
      "bash",
      "--args",
      JSON.stringify({ command }),
    );
    appendFileSync("agent.log", `${command}: ${effect}: ${reason}\n`);
  }
  const request = { action: "checkpoint", reason: "Please publish the package." };
  writeFileSync(process.env.BYLAW_CONTROL_FILE, JSON.stringify(request));
}
