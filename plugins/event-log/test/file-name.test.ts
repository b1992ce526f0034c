import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathTemplate, runFileName, runPath } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf, givenLog, open } from "./kit.ts";

const HOSTILE = [
  ...[
    "..",
    ".",
    "",
    "/",
    "../../etc/passwd",
    "a/b",
    "a\\b",
    "a\0b",
    "C:\\x",
    "con",
    "COM1",
    "~",
    "a\n",
    " ",
    "%",
    "%2e",
    "é",
    "e\u0301",
  ],
  ...[
    "x".repeat(10_000),
    "\ud800",
    "\ud801",
    "😀",
    "a.jsonl",
    "a.lock",
    "a.000000000001-000000000002",
    "-rf",
    "{run}",
    "A",
    "a",
    "x".repeat(120),
  ],
];

describe("the file of a run", () => {
  it("has a name that shows the run, if the run has a plain name", () => {
    expect(runFileName("release-42_b")).toBe("release-42_b");
    expect(runPath(".bylaw/logs/{run}.jsonl", "6f1b1f52", "/project")).toBe(
      "/project/.bylaw/logs/6f1b1f52.jsonl",
    );
    expect(runPath("/var/log/{run}/events.jsonl", "a.b", "/project")).toBe(
      "/var/log/a%2eb/events.jsonl",
    );
  });

  it.each(HOSTILE)("stays in its folder, under a name that every system supports: %j", (run) => {
    const path = runPath("logs/{run}.jsonl", run, "/project");
    expect(dirname(path)).toBe("/project/logs");
    expect(runFileName(run)).toMatch(/^(?!(con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9_%~-]{1,120}$/);
  });

  it("differs for every run, also if upper and lower case are the same", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.constantFrom(...HOSTILE),
      fc.stringMatching(/^[aA.%~2eE-]{0,6}$/),
    );
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(one !== other);
        return runFileName(one).toLowerCase() !== runFileName(other).toLowerCase();
      }),
      { numRuns: 2_000 },
    );
    expect(new Set(HOSTILE.map((run) => runFileName(run).toLowerCase())).size).toBe(HOSTILE.length);
  });

  it("never equals one of the files that belong to another log", () => {
    for (const run of HOSTILE) expect(runFileName(run)).not.toMatch(/\./);
  });

  it("is written even for a hostile name, and nothing outside its folder", async () => {
    const base = temporaryFolder();
    const inside = join(base, "inside");
    mkdirSync(inside);
    writeFileSync(join(base, "passwd"), "");
    for (const run of HOSTILE) {
      const log = givenLog(run);
      const path = runPath("{run}.jsonl", run, inside);
      const { write, close } = await open(log, path);
      await write(1);
      await close();
      expect(relative(inside, path).split(sep)).toHaveLength(1);
      expect(eventsOf(path)).toEqual(log.all);
    }
    expect(readdirSync(base).sort()).toEqual(["inside", "passwd"]);
    expect(readdirSync(inside)).toHaveLength(HOSTILE.length * 2);
  });

  it.each(["logs/", "a/..", "..", ".", "", "a\0", "{session}.jsonl", "{run", "a/./"])(
    "is refused as a template: %j",
    (template) => {
      expect(pathTemplate.safeParse(template).success).toBe(false);
    },
  );
});
