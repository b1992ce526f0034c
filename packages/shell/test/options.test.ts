import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { otherPrograms, readOptions } from "../src/index.ts";
import { shown } from "./kit.ts";
import { commandOf } from "./told.ts";

// Formats `-name=value` for each option, then the operands.
function read(line: string): string | undefined {
  const { argv } = commandOf(line);
  const found = readOptions(argv[0]?.text ?? "", argv, 1);
  if (found === undefined) return undefined;
  const options = found.options.map(({ name, value }) =>
    value === undefined ? name : `${name}=${shown(value)}`,
  );
  return [
    ...options,
    "|",
    ...found.operands.map(({ word, after }) => shown(word) + (after ? "~" : "")),
    ...(found.open ? ["…"] : []),
  ].join(" ");
}

test.each<readonly [string, string | undefined]>([
  ...readCases<[string, string]>(import.meta, "spellings"),
  ["frobnicate -n", undefined],
  ["find . -delete", undefined],
])("the options of a command have one name for all spellings: %s: %s", (line, expected) =>
  expect(read(line)).toBe(expected),
);

test("equivalent programs have all names of each other", () => {
  expect(otherPrograms(["npx", "x"])).toEqual([["npm", "exec", "x"]]);
  expect(otherPrograms(["npm", "exec", "x"])).toEqual([["npx", "x"]]);
  expect(otherPrograms(["npm", "install"])).toEqual([]);
  expect(otherPrograms(["pip3", "list"])).toContainEqual(["pip", "list"]);
});

test("any words are read in linear time", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "--",
      "-",
      "-f",
      "--x=",
      "constructor",
      "__proto__",
      "run",
      "-xf",
      "+x",
      "container",
    ),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("git", "tar", "npm", "docker", "kill", "cargo", "constructor", "yarn"),
      fc.array(word, { maxLength: 12 }),
      (name, texts) => {
        const argv = [name, ...texts].map((text) => ({
          text,
          pieces: text === "" ? [] : [text],
          single: true,
        }));
        const found = readOptions(name, argv, 1);
        if (found !== undefined) expect(found.operands.length).toBeLessThanOrEqual(texts.length);
      },
    ),
  );
  const long = ["tar", "f".repeat(5000), ...Array.from({ length: 5000 }, () => "-vf")];
  expect(
    readOptions(
      "tar",
      long.map((text) => ({ text, pieces: [text], single: true })),
      1,
    )?.options.length,
  ).toBeGreaterThanOrEqual(5000);
});
