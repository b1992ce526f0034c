import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { commandOf, effectsOf } from "./told.ts";

test.each(readCases<[string, string[]]>(import.meta, "effects"))(
  "the effects of a command tell which files it uses, and how: %s",
  (line, effects) => expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
);

// Relative to the top of the tree, excluding a path, and patterns: here it is unknown which files these are.
describe("files that git changes by something other than a plain path are unknown", () => {
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
  test("also if the shell knows the pattern", () =>
    expect(effectsOf("git rm -r :/a*")).toContain("delete+ ?"));
});

describe("later words may be a command only if the program is not known to treat them as data", () => {
  test.each(["echo", "cat", "grep", "git add", "which", "man", "make"])("%s takes data", (line) =>
    expect(commandOf(`${line} rm -rf x`).carries).toBe(false),
  );
  test.each(["frobnicate", "npm test", "./x", "firejail", "git frob", "bash -c x a"])(
    "%s may not",
    (line) => expect(commandOf(`${line} rm -rf x`).carries).toBe(true),
  );
});
