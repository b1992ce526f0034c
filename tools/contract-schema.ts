import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { contractJsonSchema, referenceTables } from "@bylaw/contract";

// Writes the JSON Schema of contracts that the package ships, and the tables of its README. The package's tests check both.
const root = resolve(import.meta.dirname, "..");

function formatted(name: string, text: string): string {
  const oxfmt = join(root, "node_modules/oxfmt/bin/oxfmt");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [oxfmt, `--stdin-filepath=${name}`],
    { cwd: root, input: text, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
  return stdout;
}

const page = "packages/contract/README.md";
let text = readFileSync(join(root, page), "utf8");
for (const [name, table] of Object.entries(referenceTables())) {
  text = text.replace(
    new RegExp(`(<!-- ${name} -->\\n\\n)[^]*?(<!-- /${name} -->)`),
    (_, before: string, after: string) => `${before}${table}\n\n${after}`,
  );
}
writeFileSync(join(root, page), formatted(page, text));
const schema = "packages/contract/contract.schema.json";
writeFileSync(join(root, schema), formatted(schema, JSON.stringify(contractJsonSchema())));
console.log(`wrote ${schema} and the tables of ${page}`);
