import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { root } from "./workspaces.ts";

/**
 * The most that `npm run structure` may print; lower a bound when you are below it. The bounds of lines leave room for planned
 * work.
 */
const BOUNDS = {
  source_lines: 146_055,
  test_lines: 108_876,
  files_over_300: 0,
  functions_over_60: 0,
  cycles: 0,
  kernel_lines: 1_732,
  kernel_names: 45,
  old_messages: 0,
  docs_words: 40_000,
} as const;

type Figure = keyof typeof BOUNDS;

let figures: Readonly<Record<string, number | readonly unknown[]>> = {};

beforeAll(() => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "tools/structure.ts"), "--json"],
    { encoding: "utf8", maxBuffer: 64 * 2 ** 20 },
  );
  expect(stderr).toBe("");
  figures = JSON.parse(stdout) as typeof figures;
});

it.each(Object.keys(BOUNDS) as readonly Figure[])("%s stays within its bound", (figure) => {
  const found = figures[figure];
  const count = typeof found === "number" ? found : found?.length;
  expect(count, JSON.stringify(typeof found === "number" ? undefined : found)).toBeLessThanOrEqual(
    BOUNDS[figure],
  );
});
