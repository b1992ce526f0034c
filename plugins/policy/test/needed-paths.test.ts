import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { rule, run } from "./kit.ts";

const kernel = createKernel({
  plugins: [
    policy({
      text: [
        rule("secrets", "deny", 'tool = "*"\npaths = "**/.env"'),
        rule("other", "allow", 'command = ["mkdir *", "cd *", "cp -r *", "npm test"]'),
        rule(
          "branch",
          "allow",
          'command = "git checkout [!-]*"\npaths = { write = "/nowhere/**" }',
        ),
        rule("compare", "allow", 'command = "diff *"\npaths = { read = "./**" }'),
      ].join("\n"),
    }),
  ],
});

let work = "";
beforeAll(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-needed-")));
  for (const folder of ["one", "two", "sub/topic"])
    mkdirSync(join(work, folder), { recursive: true });
  for (const file of ["a", "b", "one/.env", "two/.env"]) writeFileSync(join(work, file), "x\n");
  symlinkSync("one", join(work, "link"));
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const decided = async (command: string): Promise<string> => {
  const { effect } = await kernel.decide(run(command, { cwd: work, workspace: work }));
  return effect;
};

describe("what a command does only if something is at a path", () => {
  it.each(readCases<[string, string]>(import.meta, "decisions"))(
    "%s: %s",
    async (command, effect) => {
      expect(await decided(command)).toBe(effect);
    },
  );
});
