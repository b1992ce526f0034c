import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const session = "rulesets/recommended/session.jsonl";
const cwd = fileURLToPath(new URL("..", import.meta.url));

console.log("Building the packages …");
const built = spawnSync("npm", ["run", "build"], {
  cwd,
  encoding: "utf8",
  shell: process.platform === "win32",
});
if (built.status !== 0) {
  console.error(`${built.stdout}${built.stderr}`);
  process.exit(built.status ?? 2);
}

console.log(`A recorded agent session (${session}), governed by bylaw.config.ts:\n`);
const { status } = spawnSync(
  process.execPath,
  ["packages/cli/dist/bin.js", "check", "--batch", session, "--config", "bylaw.config.ts"],
  { cwd, stdio: "inherit" },
);
console.log(
  "\nNext: docs/index.md walks through the parts, docs/rulesets.md applies these rules to your own agent.",
);
process.exitCode = status ?? 2;
