import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { effectsOf } from "./told.ts";

test.each(readCases<[string, string[]]>(import.meta, "patches"))(
  "git writes the files that a patch names, below its folder: %s",
  (line, effects) => expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
);
