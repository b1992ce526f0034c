import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";

const RULESET = join(import.meta.dirname, "../../rulesets/tdd");
const README = readFileSync(join(RULESET, "README.md"), "utf8");

it("the program in the README of tdd runs unchanged, from nothing to IMPL", () => {
  const folder = temporaryFolder();
  const [, program = ""] = /^```ts\n(import \{ mkdirSync[\s\S]*?)^```/m.exec(README) ?? [];
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"), "dir");
  copyFileSync(join(RULESET, "agent_workflow.yaml"), join(folder, "agent_workflow.yaml"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, "host.ts"), program);
  const env = {
    ...process.env,
    ORCHESTRATOR_JWT_SECRET: "a secret of this test that is long enough",
  };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--experimental-strip-types", "host.ts"],
    { cwd: folder, encoding: "utf8", env },
  );
  expect([status, stderr]).toEqual([0, expect.not.stringContaining("Error")]);
  expect(stdout.split("\n").map((line) => line.split(" ", 2).join(" "))).toEqual([
    ...[
      "PLAN allow",
      "TDD deny",
      "TDD allow",
      "src/add.js deny",
      "tests/add.test.js allow",
      "{ passed:",
      "IMPL allow",
      "",
    ],
  ]);
});
