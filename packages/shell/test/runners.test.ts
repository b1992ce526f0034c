import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf, runsOf } from "./told.ts";

describe("a command in the arguments of a runner is found", () => {
  test.each(readCases<string>(import.meta, "commands"))("%s", (line) => {
    expect(runsOf(line)).toContain("rm -rf build");
    expect(hazardsOf(line).some((hazard) => hazard.endsWith(":run"))).toBe(true);
  });
  test.each(readCases<string>(import.meta, "another-machine"))("%s, on another machine", (line) =>
    expect(runsOf(line)).toContain("rm -rf build @"),
  );
  test("a subcommand of git is also a separate program", () => {
    expect(runsOf("git-push origin main")).toEqual(["git push origin main"]);
    expect(runsOf("/usr/lib/git-core/git-push")).toEqual(["git push"]);
    expect(runsOf("git-frob x")).toEqual([]);
  });
  test.each(readCases<string>(import.meta, "known"))("%s is known", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );
  test("a package to install is not a program that runs", () => {
    for (const line of readCases<string>(import.meta, "package-installs")) {
      expect(runsOf(line)).toEqual([]);
    }
  });
});

describe("code from the input", () => {
  test.each(readCases<[string, string]>(import.meta, "input"))("%s: %s", (line, code) =>
    expect(doubtsOf(line)).toContain(code),
  );
  test.each(["make -f Makefile.dev x", "awk -f x.awk y", "python3 x.py < y"])(
    "%s is a file",
    (line) => expect(doubtsOf(line)).toEqual([]),
  );
  test("a file of code is a hazard of awk", () =>
    expect(hazardsOf("awk -f x.awk y")).toEqual(["-f:load"]));
});

describe("a command that only runs another one is known", () => {
  test.each(readCases<string>(import.meta, "only-runs"))("%s", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );
  test.each(readCases<[string, string]>(import.meta, "more-than-runs"))(
    "%s is not: %s",
    (line, code) => expect(doubtsOf(line)).toContain(code),
  );
  test("awk that writes to /dev/null has no hazard", () => {
    expect(hazardsOf("awk '{print > \"/dev/null\"}' f")).toEqual([]);
    expect(hazardsOf("awk '{print > \"x\"}' f")).toEqual(['{print > "x"}:write']);
  });
  test("a refspec that names a local branch is a hazard", () => {
    expect(hazardsOf("git fetch origin +a:main")).toEqual(["+a:main:write"]);
    expect(hazardsOf("git fetch origin a:main")).toEqual(["a:main:write"]);
    expect(hazardsOf("git fetch origin main")).toEqual([]);
    expect(hazardsOf("file -z x")).toEqual(["-z:run"]);
    expect(hazardsOf("ssh -G h -o ProxyCommand=id")).toEqual(["-o:run"]);
  });
});
