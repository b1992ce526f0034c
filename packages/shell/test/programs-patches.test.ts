import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectsOf } from "./told.ts";

describe("git writes the files that a patch names, below its folder", () => {
  test.each(readCases<[string, string[]]>(import.meta, "patches"))("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});
