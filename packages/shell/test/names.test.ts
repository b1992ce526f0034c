import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze, readOptions } from "../src/index.ts";
import { shown } from "./kit.ts";
import { commandOf, doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

/** Returns the usual name of the subcommand, with its operands. */
function operandsOf(line: string): string {
  const { argv } = commandOf(line);
  const read = readOptions(argv[0]?.text ?? "", argv, 1);
  return read === undefined ? "?" : read.operands.map(({ word }) => shown(word)).join(" ");
}

describe("npm accepts an unambiguous prefix of a subcommand", () => {
  test.each(readCases<[string, string]>(import.meta, "npm-subcommands"))("%s: %s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );

  test.each(readCases<[string, string]>(import.meta, "npm-hazards"))("%s is %s", (line, operands) =>
    expect(operandsOf(line)).toBe(operands),
  );

  test.each(readCases<string>(import.meta, "npm-without-hazard"))("%s has no hazard", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );

  test("`npm explore` runs its arguments as a script, or starts a shell without any", () => {
    expect(runsOf("npm explore p -- ls 'a; id'")).toEqual(["ls a", "id"]);
    expect(doubtsOf("npm explore p -- ls")).toEqual([]);
    expect(hazardsOf("npm explore p")).toEqual(["p:run"]);
    expect(doubtsOf("npm explor p --")).toEqual(["dynamic_script"]);
  });
});

describe("subcommands of git that push, write and run", () => {
  test.each(readCases<[string, string]>(import.meta, "subcommands"))("%s: %s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );
  test("git-lfs is git lfs", () => expect(runsOf("git-lfs install")).toContain("git lfs install"));
  test.each(readCases<string>(import.meta, "git-without-hazard"))("%s has no hazard", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );
  test.each(readCases<[string, string]>(import.meta, "git-subcommands"))(
    "%s is git %s",
    (line, operands) => expect(operandsOf(line)).toBe(operands),
  );
});

describe("cd reports its target", () => {
  test.each(readCases<[string, string]>(import.meta, "cd"))("%s: %s", (line, effect) =>
    expect(effectsOf(line)).toEqual([effect]),
  );
  test.each(readCases<string>(import.meta, "unknown-folders"))(
    "%s goes nobody knows where",
    (line) => {
      const { commands } = analyze(line);
      for (const { argv, effects } of commands) {
        if (argv[0]?.text !== "cat" && argv[0]?.text !== "cd") continue;
        expect(effects).toMatchObject([
          { kind: "read", path: { why: expect.any(String) as string } },
        ]);
      }
    },
  );
  test("if nothing changes HOME, it goes to the home folder", () => {
    expect(analyze("cd && cat a").commands[1]?.effects).toEqual([
      { kind: "read", path: { text: "~/a" } },
    ]);
    expect(analyze("HOME=/etc cd src && cat a").commands[1]?.effects).toEqual([
      { kind: "read", path: { text: "src/a" } },
    ]);
  });
});

describe("a here-document must end", () => {
  test.each(readCases<string>(import.meta, "open-here-documents"))("%j does not", (line) =>
    expect(doubtsOf(line)).toContain("syntax"),
  );
  test.each(readCases<string>(import.meta, "ended-here-documents"))("%j does", (line) =>
    expect(doubtsOf(line)).not.toContain("syntax"),
  );
});

describe("letters that look like other letters", () => {
  test.each(readCases<string>(import.meta, "doubtful"))("%s is doubtful", (line) =>
    expect(doubtsOf(line)).toContain("syntax"),
  );
  test.each(readCases<string>(import.meta, "plain"))("%s is plain", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );
});

describe("a program in a folder where bare names are found counts as that program", () => {
  test.each(["/usr/bin/cat src/a", "/bin/cat src/a", "/usr/local/bin/cat src/a"])(
    "%s executes no file",
    (line) => expect(effectsOf(line)).toEqual(["read src/a"]),
  );
  test.each(readCases<string>(import.meta, "programs-in-folders"))("%s does", (line) =>
    expect(effectsOf(line).filter((effect) => effect.startsWith("execute"))).toHaveLength(1),
  );
});
