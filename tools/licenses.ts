// Lists the licences of what the published packages install, and exits with 1 where one is not allowed:
// npm run licenses [-- BOM.json]
import { readFileSync } from "node:fs";
import { nameOf, runtimeBom, type Bom, type Component } from "./bill-of-materials.ts";

/** Licences whose code may be distributed with code under Apache-2.0. An expression, such as `(MIT AND Zlib)`, is added here as a whole, by a person who read it. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...[
    "0BSD",
    "Apache-2.0",
    "BlueOak-1.0.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unlicense",
    "Zlib",
    // Of json-schema; we take it under the second.
    "(AFL-2.1 OR BSD-3-Clause)",
  ],
]);

const [file] = process.argv.slice(2);
const bom = file === undefined ? runtimeBom() : (JSON.parse(readFileSync(file, "utf8")) as Bom);
const chains = chainsOf(bom);
const rows = bom.components.map((component) => {
  const { name, version, "bom-ref": ref } = component;
  return [name, version, licenceOf(component), chains.get(ref)?.join(" > ") ?? "nothing"] as const;
});
const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows)
  console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
const refused = rows.filter(([, , licence]) => !ALLOWED.has(licence));
for (const [name, version, licence, from] of refused)
  console.error(`${name}@${version} has the licence ${licence}, needed by ${from}`);
if (refused.length > 0) {
  console.error(
    "fix: replace the package, or add its licence to tools/licenses.ts once a person has read it",
  );
  process.exitCode = 1;
}

function licenceOf({ licenses = [] }: Component): string {
  const named = licenses.map(({ license, expression }) => license?.id ?? expression ?? "unknown");
  return named.length === 0 ? "unknown" : named.join(" AND ");
}

/** The shortest path of names from a published package to each reference. */
function chainsOf({ metadata, dependencies }: Bom): ReadonlyMap<string, readonly string[]> {
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const found = new Map<string, readonly string[]>([[metadata.component["bom-ref"], []]]);
  for (const [ref, chain] of found)
    for (const needed of needs.get(ref) ?? [])
      if (!found.has(needed)) found.set(needed, [...chain, nameOf(needed)]);
  return found;
}
