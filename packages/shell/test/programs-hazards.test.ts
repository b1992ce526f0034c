import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf } from "./told.ts";

describe("an argument that makes a program do more than its name says is a hazard", () => {
  test.each(readCases<[string, string]>(import.meta, "arguments"))("%s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );

  test.each(readCases<[string, string]>(import.meta, "git"))("%s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );
});

test.each(readCases<string>(import.meta, "no-hazards"))(
  "an argument that only looks like a hazard is none: %s",
  (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  },
);

describe("an option that no table lists could do anything", () => {
  test.each(readCases<[string, string[]]>(import.meta, "unlisted-options"))(
    "%s: %j",
    (line, hazards) => expect(hazardsOf(line)).toEqual(hazards),
  );

  test.each(readCases<string>(import.meta, "unlisted-programs"))("%s has none", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );
});

describe("a value that names code or a file is a hazard, but a plain value is not", () => {
  test.each(readCases<[string, string]>(import.meta, "values"))("%s: %s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );

  test.each(readCases<string>(import.meta, "harmless-values"))("%s has none", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );
});
