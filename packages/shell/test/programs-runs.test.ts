import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf, runsOf } from "./told.ts";

describe("a command inside the arguments is found, whatever options precede it", () => {
  test.each(readCases<string>(import.meta, "commands"))("%s", (line) => {
    const runs = runsOf(line.replace("$", "rm -rf build"));
    expect(runs).toContain("rm -rf build");
    expect(hazardsOf(line.replace("$", "rm -rf build"))).not.toEqual([]);
  });

  test.each(readCases<string>(import.meta, "transparent"))("%s does nothing else", (line) => {
    expect(runsOf(line.replace("$", "rm -rf build"))).toContain("rm -rf build");
    expect(hazardsOf(line.replace("$", "rm -rf build"))).toEqual([]);
    expect(hazardsOf(line.replace("$", '"$X"'))).not.toEqual([]);
  });

  test.each(readCases<[string, string]>(import.meta, "runs"))("%s runs %s", (line, run) =>
    expect(runsOf(line)).toContain(run),
  );
});

describe("a script inside the arguments is read", () => {
  test.each(readCases<string>(import.meta, "scripts"))("%s", (line) =>
    expect(runsOf(line.replaceAll("$", "rm -rf build"))).toContain("rm -rf build"),
  );

  test("a command that another machine runs is marked", () => {
    expect(runsOf("ssh host 'rm x; ls'")).toEqual(["rm x @", "ls @"]);
    expect(runsOf("ssh host rm x '&&' ls")).toEqual(["rm x @", "ls @"]);
  });
});

describe("unknown parts are reported", () => {
  test.each(readCases<[string, string]>(import.meta, "unknown"))("%s: %s", (line, code) =>
    expect(doubtsOf(line)).toContain(code),
  );

  test.each(readCases<string>(import.meta, "known"))("%s is known", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );
});
