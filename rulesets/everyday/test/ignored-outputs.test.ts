import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
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

it.each(readCases<[string, string, string]>(import.meta, "without-rule"))(
  "%s: %s, and without the rule %s",
  async (command, effect, without) => {
    const cwd = repository();
    const call = { hook: "beforeToolCall", tool: "bash", args: { command } } as const;
    const place = { cwd, workspace: cwd, home: "/home/dev" };
    const effectIn = async (config: Parameters<typeof createKernel>[0]): Promise<string> =>
      (await createKernel(config).decide({ ...call, ...place })).effect;
    expect(await effectIn({ extends: [everyday] })).toBe(effect);
    expect(await effectIn({ extends: [everyday], without: [RULE] })).toBe(without);
  },
);
