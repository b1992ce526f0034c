import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bylawHere, json } from "./bylaw.ts";

// The policy of this repository: the recommended ruleset, and what .bylaw adds to it.
const cwd = fileURLToPath(new URL("../../", import.meta.url));
const cases = ["--cases", "rulesets/recommended/cases.jsonl", "--cases", ".bylaw/cases.jsonl"];

test("no rule change in this repository goes unnoticed", { timeout: 120_000 }, async () => {
  const ran = await bylawHere(
    ["test", "--config", "bylaw.config.ts", ...cases, "--mutate", "--json"],
    { cwd },
  );
  expect(json(ran)).toMatchObject({ failed: 0, skipped: 0, mutation: { survivors: [] } });
  expect(ran.code).toBe(0);
});

test("the rules of this repository pass lint", async () => {
  expect(await bylawHere("lint --config bylaw.config.ts", { cwd })).toMatchObject({
    code: 0,
    stdout: "No findings in 2 files\n",
  });
});
