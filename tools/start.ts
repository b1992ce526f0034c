import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const session = "rulesets/recommended/session.jsonl";

console.log(`A recorded agent session (${session}), governed by bylaw.config.ts:\n`);
const { status } = spawnSync(process.execPath, ["packages/cli/dist/bin.js", "check", "--batch", session, "--config", "bylaw.config.ts"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: "inherit",
});
console.log("\nNext: docs/index.md walks through the parts, docs/rulesets.md puts these rules on an agent of yours.");
process.exitCode = status ?? 2;
