import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { commandOf, effectsOf } from "./told.ts";

describe("the effects of a command say which files it touches, and how", () => {
  test.each(readCases<[string, string[]]>(import.meta, "effects"))("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});

// From the topmost folder, all but a path, and patterns: nobody knows here which files that are.
describe("what git changes by what is no path is not known", () => {
  test.each([":/a", ":(top)a", ":!a", "a*", "a?", "[a]", String.raw`\a`])("%s", (path) => {
    for (const line of [
      `git checkout x -- '${path}'`,
      `git checkout '${path}'`,
      `git restore '${path}'`,
      `git rm '${path}'`,
      `git clean -f '${path}'`,
    ])
      expect(effectsOf(line), line).toContain(
        /checkout|restore/.test(line) ? "write+ ?" : /clean/.test(line) ? "delete+ ?" : "delete ?",
      );
  });
  test("nor where the shell has the pattern", () =>
    expect(effectsOf("git rm -r :/a*")).toContain("delete+ ?"));
});

describe("later words may be a command only where the program is not known to take data", () => {
  test.each(["echo", "cat", "grep", "git add", "which", "man", "make"])("%s takes data", (line) =>
    expect(commandOf(`${line} rm -rf x`).carries).toBe(false),
  );
  test.each(["frobnicate", "npm test", "./x", "firejail", "git frob", "bash -c x a"])(
    "%s may not",
    (line) => expect(commandOf(`${line} rm -rf x`).carries).toBe(true),
  );
});
