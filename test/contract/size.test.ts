import { expect, it } from "vitest";
import { filesAt, textOf } from "./workspaces.ts";

it("every decision record is numbered, named and under 40 lines", () => {
  const records = filesAt("docs/decisions/*");
  expect(records).toContain("docs/decisions/000-template.md");
  const others = records.filter((file) => !file.endsWith("/000-template.md"));
  expect(others.filter((file) => !/\/\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(file))).toEqual([]);
  const numbers = others.map((file) => /\/(\d{4})-/.exec(file)?.[1]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(records.filter((file) => textOf(file).trimEnd().split("\n").length >= 40)).toEqual([]);
});
