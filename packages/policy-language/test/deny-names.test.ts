import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectOf, run } from "./calls.ts";

const under = (action: string, pattern: string, line: string): string =>
  effectOf([{ action, command: pattern }], run(line));

describe("a deny of a program is one of its name in any case", () => {
  test.each([
    ["rm *", "RM -rf build"],
    ["rm -rf *", "Rm -fr build"],
    ["curl *", "sudo CURL http://h"],
    ["git push *", "/usr/bin/Git -C a push"],
    ["Rscript *", "rscript a"],
    ["r[m] *", "RM a"],
  ])("%s: %s", (pattern, line) => {
    expect(under("deny", pattern, line)).toBe("deny");
    expect(under("ask_user", pattern, line)).toBe("ask_user");
  });
  test("an allow is one of what it spells out", () => {
    expect(under("allow", "ls *", "LS a")).not.toBe("allow");
    expect(under("allow", "ls *", "ls a")).toBe("allow");
  });
  test("an argument in another case is another argument", () => {
    expect(under("deny", "git push *", "git PUSH")).not.toBe("deny");
  });
});

describe("a deny of a subcommand is one of all its names", () => {
  test.each(
    readCases<readonly [string, readonly string[]]>(
      new URL("cases/deny-names/subcommands.jsonl", import.meta.url),
    ),
  )("%s", (pattern, lines) => {
    for (const line of lines) expect([line, under("deny", pattern, line)]).toEqual([line, "deny"]);
  });
  test.each([
    ["npm publish *", "npm pack"],
    ["npm publish *", "npm p"],
    ["npm publish *", "npm run publish"],
    ["git push *", "git lfs pull"],
    ["git push *", "git svn rebase"],
    ["git push *", "git stash push"],
  ])("%s: not %s", (pattern, line) => expect(under("deny", pattern, line)).not.toBe("deny"));
});
