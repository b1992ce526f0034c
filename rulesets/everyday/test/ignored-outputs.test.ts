import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { everyday } from "../src/index.ts";

const RULE = "@bylaw/plugin-policy/delete-ignored-outputs";

function repository(): string {
  const cwd = temporaryFolder();
  execFileSync("git", ["init", "-q", cwd]);
  writeFileSync(join(cwd, ".gitignore"), "build/\nout/\ndist/\ndata/\n.env\n");
  for (const name of ["build", "out", "bin", "dist", "data", "src/app/build"])
    mkdirSync(join(cwd, name), { recursive: true });
  return cwd;
}

it.each([
  ["rm -rf build", "allow", "deny"],
  ["rm -rf build out", "allow", "deny"],
  ["rm -rf ./src/app/build/", "allow", "deny"],
  ["rm -rf dist build", "allow", "deny"],
  ["rm -rf build && npm run build", "allow", "deny"],
  ["mv src build && rm -rf build", "deny", "deny"],
  ["rm -rf bin", "deny", "deny"],
  ["rm -rf data", "deny", "deny"],
  ["rm -rf build data", "deny", "deny"],
  ["rm -rf build src", "deny", "deny"],
  ["rm -rf node_modules/@bylaw/kernel/build", "ask_user", "deny"],
])("%s: %s, and without the rule %s", async (command, effect, without) => {
  const cwd = repository();
  const call = { hook: "beforeToolCall", tool: "bash", args: { command } } as const;
  const place = { cwd, workspace: cwd, home: "/home/dev" };
  const effectIn = async (config: Parameters<typeof createKernel>[0]): Promise<string> =>
    (await createKernel(config).decide({ ...call, ...place })).effect;
  expect(await effectIn({ extends: [everyday] })).toBe(effect);
  expect(await effectIn({ extends: [everyday], without: [RULE] })).toBe(without);
});
