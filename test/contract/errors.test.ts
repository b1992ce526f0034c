import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { DECISION_CODES } from "./decision-codes.ts";
import { filesAt, textOf } from "./workspaces.ts";

const page = textOf("docs/errors.md");
const sections = page.split(/^(?=## )/m).slice(1);
const titles = sections.map((section) => section.slice(3, section.indexOf("\n")));

// Names of environment variables that look like error codes.
const VARIABLES = readCases<string>(import.meta, "variables");

describe("docs/errors.md", () => {
  it("has a heading for every error code in the sources, and no other code", () => {
    const sources = filesAt("{packages,plugins,rulesets}/*/{src,contract}/**/*.ts");
    const inCode = new Set(
      sources.flatMap((file) => textOf(file).match(/\bBYLAW_[A-Z]+(_[A-Z]+)+\b/g) ?? []),
    );
    for (const name of VARIABLES) inCode.delete(name);
    const inPage = titles.filter((title) => title.startsWith("BYLAW_"));
    expect(inPage).toEqual([...inCode].sort());
  });

  it("explains each code and how to fix it", () => {
    const poor = sections.filter(
      (section) =>
        section.startsWith("## BYLAW_") &&
        !/^## \w+\n\n\S[^\n]+(\n\S[^\n]+)*\n\n\*\*Fix\.\*\* \S/.test(section),
    );
    expect(poor.map((section) => section.split("\n")[0])).toEqual([]);
  });

  it("lists the decision codes of the kernel, and no other", () => {
    const table = sections[titles.indexOf("Decision codes")] ?? "";
    const listed = Array.from(table.matchAll(/^\| `([a-z_]+)` +\|/gm), ([, code]) => code);
    expect(listed).toEqual(DECISION_CODES);
  });
});
