import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { commandOf, doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("the input of an interpreter is code under every name of the input", () => {
  test.each(readCases<string>(import.meta, "input"))("%s", (line) =>
    expect(doubtsOf(line)).toContain("inline_code"),
  );

  test.each(readCases<string>(import.meta, "known"))("%s is known", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );

  test("code from a URL is a connection", () => {
    expect(effectsOf("deno run https://h/x.ts")).toEqual(["network h"]);
    expect(hazardsOf("deno run npm:cowsay")).toEqual(["npm:cowsay:load"]);
  });
});

describe("the words after a script or a task may be a command", () => {
  test.each(readCases<string>(import.meta, "later-words"))("%s", (line) =>
    expect(commandOf(`${line} rm -rf x`).carries).toBe(true),
  );

  test.each(readCases<string>(import.meta, "without-script"))("%s has none", (line) =>
    expect(commandOf(line).carries).toBe(false),
  );

  test("a deny applies to them, and an allow must spell out their options", () => {
    expect(hazardsOf("node w.js exec rm")).toEqual([]);
    expect(hazardsOf("node w.js --exec rm")).toEqual(["--exec:run"]);
    expect(analyze("node w.js 'rm -rf x'").commands.slice(1)).toMatchObject([{ origin: "sight" }]);
  });
});

describe("only a program in a system folder is trusted by its name", () => {
  test.each(readCases<string>(import.meta, "several-programs"))("%s is not", (program) => {
    const { carries, effects } = commandOf(`${program} rm -rf x`);
    expect(carries).toBe(true);
    expect(effects).toContainEqual({ kind: "write", path: { text: "x" } });
  });

  test.each(readCases<string>(import.meta, "system-programs"))("%s is", (program) =>
    expect(commandOf(`${program} rm -rf x`).carries).toBe(false),
  );

  test("effects from the table remain", () => {
    expect(hazardsOf("./sort -o x f")).toContain("-o:write");
    expect(runsOf("./sudo rm x")).toContain("rm x");
    expect(hazardsOf("./ls --output=x")).toContain("--output=x:write");
  });
});

describe("a GNU tool with the prefix `g` is that tool", () => {
  test("for its table and for a deny", () => {
    expect(hazardsOf("gsed -i s/a/b/ f")).toEqual(["-i:write"]);
    expect(hazardsOf("gtar xf a.tar")).toEqual(["xf:write"]);
    expect(hazardsOf("gfind . -delete")).toEqual(["-delete:delete"]);
    expect(effectsOf("gcp a b")).toEqual(effectsOf("cp a b"));
    expect(effectsOf("grm -rf x")).toEqual(["delete+ x"]);
    expect(runsOf("grm -rf x")).toEqual(["rm -rf x"]);
    expect(analyze("grm -rf x").commands[1]?.origin).toBe("sight");
  });

  test("no other name with a `g` is changed", () => {
    expect(runsOf("git status")).toEqual([]);
    expect(runsOf("gh pr list")).toEqual([]);
    expect(commandOf("gfrob x").carries).toBe(true);
  });
});
