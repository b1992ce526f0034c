import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectsOf } from "./told.ts";

describe("files that a list names are not known", () => {
  test.each(readCases<[string, string[]]>(import.meta, "lists"))("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});

describe("and where none is read, the words say which files they are", () => {
  test.each(readCases<[string, string[]]>(import.meta, "no-lists"))("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});
