import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectsOf } from "./told.ts";

describe("git writes what patches name below its folder", () => {
  test.each(
    readCases<readonly [string, readonly string[]]>(
      new URL("cases/programs-patches/patches.jsonl", import.meta.url),
    ),
  )("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});
