import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf } from "./told.ts";

describe("an argument that makes a program do more than its name says is a hazard", () => {
  test.each(
    readCases<readonly [string, string]>(
      new URL("cases/programs-hazards/arguments.jsonl", import.meta.url),
    ),
  )("%s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));

  test.each(
    readCases<readonly [string, string]>(
      new URL("cases/programs-hazards/git.jsonl", import.meta.url),
    ),
  )("%s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));
});

describe("what only looks like a hazard is none", () => {
  test.each(readCases<string>(new URL("cases/programs-hazards/no-hazards.jsonl", import.meta.url)))(
    "%s",
    (line) => {
      expect(hazardsOf(line)).toEqual([]);
      expect(doubtsOf(line)).toEqual([]);
    },
  );
});
