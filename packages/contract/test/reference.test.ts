import { readFileSync } from "node:fs";
import {
  contractJsonSchema,
  contractKeys,
  GATE_CHECKS,
  parseContract,
  referenceTables,
} from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Ajv2020 } from "ajv/dist/2020.js";
import { changed, CLEAN, MIGRATED, ORIGINAL } from "./kit.ts";

/** The paths of all keys in data, in the notation of the schema. */
function pathsOf(data: unknown, path = ""): readonly string[] {
  if (Array.isArray(data)) return data.flatMap((item) => pathsOf(item, `${path}[]`));
  if (typeof data !== "object" || data === null || path === "schemas" || path.endsWith(".params"))
    return [];
  return Object.entries(data).flatMap(([key, value]) => {
    const named = path.endsWith(".tool_constraints") ? "{name}" : key;
    const full = path === "" ? named : `${path}.${named}`;
    return [...(named === "{name}" ? [] : [full]), ...pathsOf(value, full)];
  });
}

describe("the keys of a contract", () => {
  it("all have a description", () => {
    expect(contractKeys().filter(({ description }) => description === "")).toEqual([]);
  });

  it("include all keys of the original file", () => {
    const known = new Set(contractKeys().map(({ path }) => path));
    const keys = new Set(pathsOf(parse(ORIGINAL)));
    expect(keys.size).toBeGreaterThan(80);
    expect([...keys].filter((key) => !known.has(key))).toEqual([]);
  });
});

it("the 14 checks of the original file are known", () => {
  const used = parseContract(MIGRATED.text, "c.yaml").gates.flatMap(({ checks }) =>
    checks.map(({ check }) => check),
  );
  expect([...used].sort()).toEqual(Object.keys(GATE_CHECKS).sort());
  expect(used).toHaveLength(14);
});

describe("the JSON Schema for editors", () => {
  const fits = new Ajv2020({ strict: false, formats: {} }).compile(contractJsonSchema());

  it.each([
    ["the original", ORIGINAL],
    ["the clean one", CLEAN],
  ])("takes %s", (_, text) => {
    fits(parse(text));
    expect(fits.errors).toBeNull();
  });

  it.each([
    ["a misspelt key", changed(ORIGINAL, ["forbidden_tools: []", "forbiden_tools: []"])],
    ["an unknown mode", changed(ORIGINAL, ['mode: "strict"', 'mode: "audit"'])],
    ["an invalid condition", changed(CLEAN, ["operator: notEqual", "operator: not_equal"])],
    ["a transition without an end", changed(CLEAN, ["to: DONE, ", ""])],
  ])("refuses %s", (_, text) => {
    expect(fits(parse(text))).toBe(false);
  });
});

it("the JSON Schema that the package ships is current", () => {
  const shipped: unknown = JSON.parse(
    readFileSync(`${import.meta.dirname}/../contract.schema.json`, "utf8"),
  );
  expect(shipped).toEqual(contractJsonSchema());
});

it.each(Object.entries(referenceTables()))(
  "the table of %s in the README is current",
  (name, made) => {
    const page = readFileSync(`${import.meta.dirname}/../README.md`, "utf8");
    const [, table = ""] =
      new RegExp(`<!-- ${name} -->\\n\\n([^]*?)\\n\\n<!-- /${name} -->`).exec(page) ?? [];
    // The formatter pads cells.
    const cells = (text: string): readonly string[] =>
      text.split("\n").map((line) => line.replace(/\s*\|\s*/g, "|").replace(/-+/g, "-"));
    expect(cells(table)).toEqual(cells(made));
  },
);
