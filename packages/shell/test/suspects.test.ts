import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, hazardsOf } from "./told.ts";
import { shown } from "./kit.ts";

const suspects = (line: string): readonly string[] =>
  analyze(line)
    .commands.filter(({ origin }) => origin === "sight")
    .map(({ argv }) => argv.map(shown).join(" "));

describe("text in the arguments of a program that may run it", () => {
  test.each(readCases<[string, string[]]>(import.meta, "texts"))("%s", (line, commands) => {
    expect(suspects(line)).toEqual(commands);
    expect(doubtsOf(line)).toEqual([]);
  });
  test.each(readCases<string>(import.meta, "none"))("%s has none", (line) =>
    expect(suspects(line)).toEqual([]),
  );
  test("in prose, only the first word can be a program", () => {
    const found = analyze("frob 'please rm it' 'sudo rm it'").commands.filter(
      ({ origin }) => origin === "sight",
    );
    expect(found.map(({ carries }) => carries)).toEqual([false, true]);
  });
  test("an option whose name suggests a command is a hazard in any program", () => {
    expect(hazardsOf("frob --exec x --evaluate y -z")).toEqual([
      "--exec:run",
      "--evaluate:run",
      "-z:unknown",
    ]);
    expect(hazardsOf("make CC='rm x'")).toEqual(["CC=rm x:configure", "CC=rm x:run"]);
    expect(hazardsOf("npm pkg set scripts.x='rm y'")).toEqual([
      "set:configure",
      "scripts.x=rm y:run",
    ]);
  });
});

describe("a program that the line writes before it runs it is unknown", () => {
  test.each(readCases<string>(import.meta, "written-programs"))("%s", (line) =>
    expect(doubtsOf(line)).toContain("dynamic_command"),
  );
  test.each(readCases<string>(import.meta, "known"))("%s is known", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );
});
