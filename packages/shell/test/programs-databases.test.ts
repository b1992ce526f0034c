import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("statements that can run programs, or read and write files, are no plain query", () => {
  test.each(readCases<string>(import.meta, "statements"))("%s", (line) => {
    expect(doubtsOf(line)).toContain("inline_code");
    expect(hazardsOf(line)).not.toEqual([]);
  });

  test.each(readCases<string>(import.meta, "queries"))("a query or a dump is plain: %s", (line) => {
    expect(doubtsOf(line)).toEqual([]);
    expect(hazardsOf(line)).toEqual([]);
  });
});

test.each(readCases<[string, string[]]>(import.meta, "hazards"))(
  "%s has the hazards %j",
  (line, hazards) => {
    expect(hazardsOf(line)).toEqual(hazards);
  },
);

test.each(readCases<[string, string[]]>(import.meta, "with-effect"))(
  "%s does %j",
  (line, effects) => {
    expect(effectsOf(line)).toEqual(effects);
  },
);

test("the program to which a psql file pipes its output is a command of the line", () => {
  expect(runsOf("psql -o '|tee x' -c y")).toEqual(["tee x"]);
});
