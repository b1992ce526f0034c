import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { effectsOf } from "./told.ts";

test.each(readCases<[string, string[]]>(import.meta, "lists"))(
  "files named in a list are unknown: %s",
  (line, effects) => expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
);

test.each(readCases<[string, string[]]>(import.meta, "no-lists"))(
  "without a list, the words tell which files they are: %s",
  (line, effects) => expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
);
