import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";

/** The paths whose code the commands of a line run as parts of a project. */
const projectsOf = (line: string): readonly string[] =>
  analyze(line).commands.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "project" ? (effect.path.text ?? "?") : [])),
  );

describe("a program runs the code of a project", () => {
  it.each(readCases<[string, readonly string[]]>(import.meta, "given"))(
    "in what it is given: %s",
    (line, paths) => {
      expect(new Set(projectsOf(line))).toEqual(new Set(paths));
    },
  );

  it.each(readCases<[string, readonly string[]]>(import.meta, "working-folder"))(
    "in its working folder: %s",
    (line, paths) => {
      expect(new Set(projectsOf(line))).toEqual(new Set(paths));
    },
  );

  it.each([
    "make",
    "git apply /tmp/x",
    "cd /tmp/x && ls",
    "cat /tmp/x",
    "mypy /tmp/x",
    "tar xf a -C /tmp/x",
  ])("but not: %s", (line) => {
    expect(projectsOf(line)).toEqual([]);
  });
});
