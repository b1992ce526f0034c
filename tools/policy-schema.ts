import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { policyJsonSchema } from "@bylaw/policy-language";

// Writes the JSON Schema of policies that the package ships, or with --check reports whether it is current.
const { values: flags } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const root = resolve(import.meta.dirname, "..");
const name = "packages/policy-language/policy.schema.json";
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [join(root, "node_modules/oxfmt/bin/oxfmt"), `--stdin-filepath=${name}`],
  { cwd: root, input: JSON.stringify(await policyJsonSchema()), encoding: "utf8" },
);
if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
if (!flags.check) {
  writeFileSync(join(root, name), stdout);
  console.log(`wrote ${name}`);
} else if (readFileSync(join(root, name), "utf8") !== stdout) {
  console.error(`${name} is out of date: run \`node tools/policy-schema.ts\``);
  process.exitCode = 1;
}
