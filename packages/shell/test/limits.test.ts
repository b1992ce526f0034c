import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { analyze, UNKNOWN_CODES } from "../src/index.ts";
import { shellText } from "./shell-text.ts";
import { codesOf } from "./kit.ts";

it("never throws, and gives the same result twice", () => {
  fc.assert(
    fc.property(shellText(), (line) => {
      const analysis = analyze(line);
      expect(analyze(line)).toEqual(analysis);
      for (const code of codesOf(analysis)) expect(Object.keys(UNKNOWN_CODES)).toContain(code);
      for (const { argv } of analysis.commands) {
        for (const { text, pieces } of argv)
          expect(
            text === undefined
              ? pieces.some((piece) => typeof piece !== "string")
              : pieces.join("") === text,
          ).toBe(true);
      }
    }),
    { numRuns: 3000, seed: 3 },
  );
});

it("treats a line over 16 KiB as unknown, and reports each of its commands once", () => {
  const { commands, unknown } = analyze("true; ".repeat(20_000).concat("rm -rf build"));
  expect(unknown.map(({ code }) => code)).toEqual(["limit"]);
  expect(commands.map(({ argv }) => argv.map(({ text }) => text))).toEqual([
    ["true"],
    ["rm", "-rf", "build"],
  ]);
});

it.each([
  ["of more than 128 KiB", "true; ".repeat(22_000).concat("rm -rf build")],
  [
    "of more than a thousand different commands",
    Array.from({ length: 2_000 }, (_, at) => `git add ${at}; `)
      .join("")
      .concat("rm -rf build"),
  ],
])("does not search a line %s, and reports that with a separate code", (_, line) => {
  const { commands, unknown } = analyze(line);
  expect(unknown.map(({ code }) => code)).toEqual(["size"]);
  expect(commands).toEqual([]);
});

it.each([
  ["different commands", (at: number) => `git add ${at};`, ""],
  ["different commands in one script", (at: number) => `x${at};`, "bash -c '"],
  ["different substitutions", (at: number) => `x $(y${at});`, ""],
])("does not list more than 250 %s of a short line", (_, unit, head) => {
  const line = head + Array.from({ length: 300 }, (__, at) => unit(at)).join("");
  expect(line.length).toBeLessThan(16_384);
  const { commands, unknown } = analyze(`${line}rm -rf build${head === "" ? "" : "'"}`);
  expect(unknown.map(({ code }) => code)).toEqual(["size"]);
  expect(commands).toEqual([]);
});

it("knows a line of two hundred different commands", () => {
  const { commands, unknown } = analyze(
    Array.from({ length: 200 }, (_, at) => `git add ${at};`).join(""),
  );
  expect(unknown).toEqual([]);
  expect(commands).toHaveLength(200);
});

it("searches a thousand equal commands, and everything between and after them", () => {
  const { commands, unknown } = analyze(`${"true;".repeat(900)}$'\\x72m' -rf build;ls`);
  expect(unknown).toEqual([]);
  expect(commands.at(-2)?.argv.map(({ text }) => text)).toEqual(["rm", "-rf", "build"]);
});

it("still lists commands after more than a thousand equal commands", () => {
  const { commands, unknown } = analyze("true;".repeat(1_100).concat("rm -rf build"));
  expect(unknown.map(({ code }) => code)).toEqual(["limit"]);
  expect(commands.at(-1)?.argv.map(({ text }) => text)).toEqual(["rm", "-rf", "build"]);
});

it("knows no path after hundreds of commands that may make links, or after one that does", () => {
  const links = Array.from({ length: 240 }, (_, at) => `git checkout a${at};`).join("");
  const { commands } = analyze(`${links}ln -s a b;cat b/x`);
  expect(commands.at(-1)?.unknown.map(({ code }) => code)).toEqual(["state"]);
});

it("knows no path after a command that makes a link, whatever the number of commands", () => {
  const line = Array.from({ length: 300 }, (_, at) => `ln -s a${at} b${at};`).join("");
  const { commands } = analyze(`${line}cat b1/x`);
  expect(commands.slice(1).every(({ unknown }) => unknown.length > 0)).toBe(true);
});

it("finds the program after any number of assignments in a line that is too long", () => {
  const { commands } = analyze(`${"a=1 ".repeat(30_000)}rm -rf build`);
  expect(commands.map(({ argv }) => argv.map(({ text }) => text))).toEqual([
    ["rm", "-rf", "build"],
  ]);
});

it("reports nothing for an empty line", () => {
  for (const line of ["", "  \n\t", "# only a comment"])
    expect(analyze(line)).toEqual({ commands: [], unknown: [] });
});

it.each(readCases<string>(import.meta, "hidden-lines"))(
  "does not know a line with a hidden character: %j",
  (line) => {
    expect(analyze(line).unknown.map(({ code }) => code)).toContain("syntax");
  },
);

it.each(readCases<string>(import.meta, "odd-text"))(
  "does not know what looks like something else: %j",
  (line) => {
    expect(codesOf(line)).toEqual(["syntax"]);
  },
);

it.each(readCases<string>(import.meta, "letters"))(
  "knows a line with letters of other languages where they mean no harm: %j",
  (line) => {
    expect(codesOf(line)).toEqual([]);
  },
);

// Each of these once took long.
it.each(readCases<[string, string]>(import.meta, "long-lines"))(
  "answers for a long line of many parts: %j with %j",
  (head, part) => {
    const { commands } = analyze(
      head + part.repeat(Math.floor((16_384 - head.length) / part.length)),
    );
    expect(commands[0]?.argv.length).toBeGreaterThan(0);
  },
);

it("treats commands in a group with more than 64 redirections as unknown", () => {
  expect(codesOf(`{ x; }${" >a".repeat(64)}`)).toEqual([]);
  expect(codesOf(`{ x; }${" >a".repeat(65)}`)).toEqual(["limit"]);
});

it("gives each command of `find` its own assignments", () => {
  const line = "find . -exec env A=1 x \\; -exec y \\;";
  const names = analyze(line).commands.map(({ argv, assignments }) => [
    argv[0]?.text,
    assignments.map(({ name }) => name),
  ]);
  expect(names).toEqual([
    ["find", []],
    ["env", []],
    ["x", ["A"]],
    ["y", []],
  ]);
});

it("treats words, redirections and here-documents of one command past the limits as unknown", () => {
  expect(codesOf(`rm ${"a ".repeat(1_000)}`)).toEqual([]);
  expect(codesOf(`x ${"<a ".repeat(256)}`)).toEqual([]);
  for (const line of [
    `rm ${"a ".repeat(1_100)}`,
    `x ${"<a ".repeat(300)}`,
    `x ${"<<<a ".repeat(300)}`,
    `rm ${"{a,b} ".repeat(600)}`,
  ]) {
    expect(codesOf(line)).toContain("limit");
  }
});

it("reports a command after more words than the limit", () => {
  const { commands } = analyze(`echo ${"a ".repeat(1_100)}; rm -rf x`);
  expect(commands.map(({ argv }) => argv.map(({ text }) => text).join(" "))).toContain("rm -rf x");
});

it.each([
  ["letters in one word of options", `trap '-${"v a=1 ".repeat(2_000)}'`],
  ["signs before the name of a file of words", `x ${"@".repeat(16_000)}`],
])("reports thousands of %s only a few times", (_, line) => {
  const { commands } = analyze(line);
  expect(commands[0]?.argv).toHaveLength(2);
  expect(commands[0]?.effects.length).toBeLessThan(10);
});
