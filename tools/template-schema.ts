import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { templateJsonSchema } from "@bylaw/runner";

// Writes the JSON Schema of workflow templates that the package ships. A test of the package checks it.
const root = resolve(import.meta.dirname, "..");
const schema = "packages/runner/template.schema.json";
const oxfmt = join(root, "node_modules/oxfmt/bin/oxfmt");
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [oxfmt, `--stdin-filepath=${schema}`],
  { cwd: root, input: JSON.stringify(templateJsonSchema()), encoding: "utf8" },
);
if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
writeFileSync(join(root, schema), stdout);
console.log(`wrote ${schema}`);
