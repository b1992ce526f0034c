import { parseSync, Visitor } from "oxc-parser";
import { expect, it } from "vitest";
import { filesAt, textOf } from "./workspaces.ts";

const SUITES: Readonly<Record<string, string>> = {
  loop: "{plugins/loop,packages/behavior}/test/**/*.test.ts",
  trigger: "plugins/trigger/test/**/*.test.ts",
  checkpoint: "plugins/checkpoint/test/**/*.test.ts",
  vibecheck: "plugins/vibecheck/test/**/*.test.ts",
  constitution: "plugins/constitution/test/**/*.test.ts",
  "the runner that carries them out": "packages/runner/test/**/*.test.ts",
  "the command that runs them": "test/e2e/run-*.test.ts",
};

/** The number of tests in a file. A table counts as one. */
function testsIn(file: string): number {
  let tests = 0;
  const visitor = new Visitor({
    CallExpression({ callee }) {
      const text = textOf(file).slice(callee.start, callee.end);
      if (/^(it|test)\b/.test(text) && !/^(it|test)\.(each|runIf|skipIf|for)$/.test(text))
        tests += 1;
    },
  });
  visitor.visit(parseSync(file, textOf(file)).program);
  return tests;
}

it("SC-9: every behavior has its own tests, 50 or more in all", () => {
  const counts = Object.entries(SUITES).map(([of, pattern]) => ({
    of,
    tests: filesAt(pattern).reduce((sum, file) => sum + testsIn(file), 0),
  }));
  expect(counts.filter(({ tests }) => tests < 3)).toEqual([]);
  expect(counts.reduce((sum, { tests }) => sum + tests, 0)).toBeGreaterThan(50);
});
