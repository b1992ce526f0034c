import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectsOf } from "./told.ts";

describe("files named in a list are unknown", () => {
  test.each(readCases<[string, string[]]>(import.meta, "lists"))("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});

describe("without a list, the words tell which files they are", () => {
  test.each(readCases<[string, string[]]>(import.meta, "no-lists"))("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});
