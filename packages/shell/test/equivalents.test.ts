import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { readOptions, equivalentCommands } from "../src/index.ts";

const ways = (line: string): readonly string[] =>
  equivalentCommands(line.split(" ")).map(({ kind, argv }) => `${kind}: ${argv.join(" ")}`);

describe("other ways to write a command", () => {
  test.each(readCases<[string, string[]]>(import.meta, "spellings"))("%s", (line, expected) => {
    expect(ways(line)).toEqual(expect.arrayContaining(expected));
  });

  test.each(readCases<[string, string]>(import.meta, "wrong-spellings"))(
    "not of %s",
    (line, wrong) => {
      expect(ways(line).filter((way) => new RegExp(wrong).test(way))).toEqual([]);
    },
  );

  test("are empty for a program without a table and for very long commands", () => {
    expect(equivalentCommands(["frobnicate", "-x"])).toEqual([]);
    expect(equivalentCommands(["rm", ...Array.from({ length: 100 }, () => "-r")])).toEqual([]);
    expect(equivalentCommands([])).toEqual([]);
  });

  test("are read like the command itself", () => {
    const read = (argv: readonly string[]): unknown => {
      const found = readOptions(
        argv[0] ?? "",
        argv.map((text) => ({ text, pieces: [text], single: true })),
        1,
      );
      return found?.options.map(({ name, value }) => `${name}=${value?.text ?? ""}`).toSorted();
    };
    let count = 0;
    for (const line of readCases<string>(import.meta, "commands")) {
      for (const { argv } of equivalentCommands(line.split(" "))) {
        count++;
        expect(read(argv)).toEqual(read(line.split(" ")));
      }
    }
    expect(count).toBeGreaterThan(10);
  });
});
