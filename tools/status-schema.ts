import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { statusJsonSchema } from "@bylaw/plugin-status";

// Writes the JSON Schema of status.json that the plugin ships. The plugin's tests check it.
const root = resolve(import.meta.dirname, "..");
const name = "plugins/status/status.schema.json";
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [join(root, "node_modules/oxfmt/bin/oxfmt"), `--stdin-filepath=${name}`],
  { cwd: root, input: JSON.stringify(statusJsonSchema()), encoding: "utf8" },
);
if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
writeFileSync(join(root, name), stdout);
console.log(`wrote ${name}`);
