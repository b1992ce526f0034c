import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { codesOf, commandOf, commandsOf } from "./kit.ts";

it.each(readCases<string>(import.meta, "commands"))(
  "every command that bash could run is reported: %s",
  (line) => {
    expect(commandsOf(line)).toContain("rm -rf build");
  },
);

it.each(readCases<string>(import.meta, "data"))("data is not reported as a command: %s", (line) => {
  const { commands } = analyze(line);
  expect(commands.map(({ argv }) => argv[0]?.text)).not.toContain("rm");
  expect(codesOf(line)).toEqual([]);
});

it.each(readCases<string>(import.meta, "everyday"))(
  "everyday lines are fully known: %s",
  (line) => {
    expect(codesOf(line)).toEqual([]);
  },
);

it.each<readonly [string, string]>([
  ...readCases<[string, string]>(import.meta, "unknown"),
  [`echo ${"{a,b}".repeat(40)}`, "limit"],
])("what only bash can know is unknown: %s is %s", (line, code) => {
  expect(codesOf(line)).toContain(code);
});

describe("a syntax error or a limit hides no visible command", () => {
  const visible = (line: string) => commandsOf(line).some((text) => /(^| )rm -rf/.test(text));
  it.each([
    "rm -rf build (",
    "git status; rm -rf build; if",
    'echo "; rm -rf build',
    "if rm -rf build",
    "'rm -rf build",
    ">&-rm -rf build",
    "A=1 2<& -rm -rf build",
    "env >&\\\n-rm -rf build",
    `${"(".repeat(400)}rm -rf build`,
    `${"true;".repeat(4000)}rm -rf build`,
    `echo ${'"'.repeat(120_001)}; rm -rf build`,
    `${"echo a;".repeat(2100)}rm -rf build`,
    `${"$(".repeat(80)}rm -rf build${")".repeat(80)}`,
    "echo {1..1000000000}; rm -rf build",
    `${"$((".repeat(2000)}; rm -rf build`,
    "sudo ".repeat(60).concat("rm -rf build"),
    "xargs ".repeat(500).concat("rm -rf build"),
  ])("%#", (line) => {
    expect(visible(line)).toBe(true);
    expect(codesOf(line)).not.toEqual([]);
  });
});

describe("origins", () => {
  it("tell how bash reaches a command", () => {
    const line = "sudo ls; echo $(id); bash -c pwd";
    expect(["sudo", "ls", "id", "pwd"].map((name) => commandOf(line, name).origin)).toEqual([
      "line",
      "wrapper",
      "substitution",
      "script",
    ]);
  });

  it("reports commands in the order of the text, each followed by the commands that it runs", () => {
    expect(commandsOf("echo $(id) `pwd`; sudo ls; x")).toEqual([
      "echo <?>… <?>…",
      "id",
      "pwd",
      "sudo ls",
      "ls",
      "x",
    ]);
  });

  it("gives a wrapped command the assignments of its wrapper", () => {
    expect(commandOf("A=1 env B=2 ls", "ls").assignments.map(({ name }) => name)).toEqual([
      "A",
      "B",
    ]);
  });
});
