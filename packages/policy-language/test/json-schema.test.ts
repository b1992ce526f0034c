import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "smol-toml";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { PolicyError, parsePolicy, policyJsonSchema } from "../src/index.ts";

const root = join(import.meta.dirname, "../../..");
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const schema = await policyJsonSchema();
const validate = new Ajv2020({ allErrors: true, strict: true, strictTypes: false }).compile(schema);

function mistakes(text: string): readonly string[] {
  return validate(parse(text))
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath} ${message ?? ""}`,
      );
}

test("the shipped schema equals the generated one: `npm run schema` writes it", () => {
  expect(JSON.parse(textOf("packages/policy-language/policy.schema.json"))).toEqual(schema);
});

test("the manifest includes and exports the schema", () => {
  const manifest = JSON.parse(textOf("packages/policy-language/package.json")) as {
    files: string[];
    exports: Record<string, unknown>;
  };
  expect(manifest.files).toContain("policy.schema.json");
  expect(manifest.exports["./policy.schema.json"]).toBe("./policy.schema.json");
});

test("every key has a description for editors", () => {
  const bare: string[] = [];
  let keys = 0;
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties } = node as {
      readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    };
    for (const [key, { description = "" }] of Object.entries(properties ?? {})) {
      keys++;
      // If `compat` has only one possible value, it needs no description.
      if (!/^\S.{8,}\.$/s.test(description)) bare.push(`${path}.${key}`);
    }
    for (const [key, below] of Object.entries(node)) walk(below, `${path}/${key}`);
  };
  walk(schema, "");
  expect(keys).toBeGreaterThan(60);
  expect(bare).toEqual([]);
});

const fixtures = globSync("packages/policy-language/test/fixtures/**/policies/*.toml", {
  cwd: root,
});
const policies = globSync(
  ["rulesets/*/*.toml", ".bylaw/*.toml", "plugins/*/test/fixtures/**/policies/*.toml"],
  { cwd: root },
);
const blocks = ["docs/policy.md", "docs/compat-radium.md"].flatMap((page) =>
  Array.from(
    textOf(page).matchAll(/^```toml\n([\s\S]*?)^```$/gm),
    ([, text = ""], at) => [`${page} ${at + 1}`, text] as const,
  ),
);
const texts: readonly (readonly [string, string])[] = [
  ...policies.map((file) => [file, textOf(file)] as const),
  ...fixtures.map(
    (file) =>
      [
        file,
        file.includes("/radium/") ? `compat = "radium"\n${textOf(file)}` : textOf(file),
      ] as const,
  ),
  ...blocks,
];

describe("a policy that loads without a warning is valid", () => {
  test("there are policies to try", () => {
    expect(policies.length).toBeGreaterThan(5);
    expect(fixtures.length).toBeGreaterThan(10);
    expect(blocks.length).toBeGreaterThan(8);
  });

  test.each(texts)("%s", (_, text) => {
    try {
      if (parsePolicy(text, { file: "p.toml", operator: true }).warnings.length > 0) return;
    } catch (error) {
      if (error instanceof PolicyError) return;
      throw error;
    }
    expect(mistakes(text)).toEqual([]);
  });
});

test.each(readCases<string>(import.meta, "refused"))(
  "what the schema refuses does not load: %j",
  (text) => {
    expect(mistakes(text)).not.toEqual([]);
    expect(() => parsePolicy(text, { file: "p.toml" })).toThrow(PolicyError);
  },
);
