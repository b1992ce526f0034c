import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { contractJsonSchema, referenceTables } from "@bylaw/contract";
import { statusJsonSchema } from "@bylaw/plugin-status";
import { policyJsonSchema } from "@bylaw/policy-language";
import { templateJsonSchema } from "@bylaw/runner";
import { configJsonSchema, operatorsJsonSchema, serveJsonSchema } from "./settings-schemas.ts";

// Writes the JSON Schemas that packages ship for editors and the tables of a contract's keys, or with --check names those that are
// not current.
const { values: flags } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const root = resolve(import.meta.dirname, "..");
const contract = contractJsonSchema();
const policy = await policyJsonSchema();
const template = templateJsonSchema();
const SCHEMAS: Readonly<Record<string, unknown>> = {
  "packages/contract/contract.schema.json": contract,
  "packages/policy-language/policy.schema.json": policy,
  "packages/runner/template.schema.json": template,
  "plugins/status/status.schema.json": statusJsonSchema(),
  // Many projects install nothing but the command. Its schemas are not formatted, because every byte of it counts.
  "packages/cli/schemas/config.json": await configJsonSchema(),
  "packages/cli/schemas/contract.json": contract,
  "packages/cli/schemas/operators.json": operatorsJsonSchema(),
  "packages/cli/schemas/policy.json": policy,
  "packages/cli/schemas/serve.json": serveJsonSchema(),
  "packages/cli/schemas/template.json": template,
};
for (const [file, schema] of Object.entries(SCHEMAS)) {
  const text = JSON.stringify(schema);
  write(file, file.startsWith("packages/cli/") ? `${text}\n` : formatted(file, text));
}
const page = "packages/contract/README.md";
write(page, formatted(page, withTables(readFileSync(join(root, page), "utf8"))));

function withTables(text: string): string {
  let filled = text;
  for (const [name, table] of Object.entries(referenceTables())) {
    const between = new RegExp(`(<!-- ${name} -->\\n\\n)[^]*?(<!-- /${name} -->)`);
    filled = filled.replace(between, (_, before: string, after: string) => {
      return `${before}${table}\n\n${after}`;
    });
  }
  return filled;
}

function formatted(file: string, text: string): string {
  const oxfmt = join(root, "node_modules/oxfmt/bin/oxfmt");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [oxfmt, `--stdin-filepath=${file}`],
    { cwd: root, input: text, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
  return stdout;
}

function write(file: string, text: string): void {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  if (flags.check) {
    console.error(`${file} is out of date: run \`npm run schema\``);
    process.exitCode = 1;
    return;
  }
  writeFileSync(path, text);
  console.log(`wrote ${file}`);
}
