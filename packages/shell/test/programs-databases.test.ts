import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("statements that can run programs, or that read and write files, are no plain query", () => {
  test.each(
    readCases<string>(new URL("cases/programs-databases/statements.jsonl", import.meta.url)),
  )("%s", (line) => {
    expect(doubtsOf(line)).toContain("inline_code");
    expect(hazardsOf(line)).not.toEqual([]);
  });

  test.each(readCases<string>(new URL("cases/programs-databases/queries.jsonl", import.meta.url)))(
    "a query or a dump is: %s",
    (line) => {
      expect(doubtsOf(line)).toEqual([]);
      expect(hazardsOf(line)).toEqual([]);
    },
  );
});

test.each(
  readCases<readonly [string, readonly string[]]>(
    new URL("cases/programs-databases/hazards.jsonl", import.meta.url),
  ),
)("%s has the hazards %j", (line, hazards) => {
  expect(hazardsOf(line)).toEqual(hazards);
});

test.each(
  readCases<readonly [string, readonly string[]]>(
    new URL("cases/programs-databases/with-effect.jsonl", import.meta.url),
  ),
)("%s does %j", (line, effects) => {
  expect(effectsOf(line)).toEqual(effects);
});

test("what a file of psql is piped into is a command of the line", () => {
  expect(runsOf("psql -o '|tee x' -c y")).toEqual(["tee x"]);
});
