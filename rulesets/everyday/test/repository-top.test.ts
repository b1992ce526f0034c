import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { everyday } from "../src/index.ts";

function repository(): string {
  const cwd = temporaryFolder();
  execFileSync("git", ["init", "-q", cwd]);
  mkdirSync(join(cwd, "sub"));
  return cwd;
}

async function effectOf(command: string, workspace: string, cwd = workspace): Promise<string> {
  const call = { hook: "beforeToolCall", tool: "bash", args: { command } } as const;
  const kernel = createKernel({ extends: [everyday] });
  return (await kernel.decide({ ...call, cwd, workspace, home: "/home/dev" })).effect;
}

const CD = 'cd "$(git rev-parse --show-toplevel)"';

it.each(readCases<[string, string]>(import.meta, "lines"))("%s: %s", async (line, effect) => {
  const top = repository();
  expect(await effectOf(line, top)).toBe(effect);
  expect(await effectOf(line, top, join(top, "sub"))).toBe(effect);
});

it("asks if git may print another folder", async () => {
  const line = `${CD} && npm test`;
  const top = repository();
  const outer = temporaryFolder();
  expect(await effectOf(line, outer)).toBe("ask_user");
  // The top is above the workspace.
  expect(await effectOf(line, join(top, "sub"))).toBe("ask_user");
  symlinkSync(top, join(outer, "link"));
  expect(await effectOf(line, join(outer, "link"))).toBe("ask_user");
  writeFileSync(join(top, ".git/config"), "[core]\n\tworktree = /etc\n");
  expect(await effectOf(line, top)).toBe("ask_user");
  const bare = repository();
  writeFileSync(join(bare, ".git/HEAD"), "none");
  expect(await effectOf(line, bare)).toBe("ask_user");
});
