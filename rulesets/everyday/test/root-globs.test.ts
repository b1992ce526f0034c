import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { everyday } from "../src/index.ts";

it.each(["ls *", "ls -d */", "cat *", "wc -l *", 'for f in *; do wc -l "$f"; done', "head -3 *"])(
  "%s in the root of a project passes until a file of secrets is there",
  async (command) => {
    const cwd = temporaryFolder();
    execFileSync("git", ["init", "-q", cwd]);
    mkdirSync(join(cwd, "src"));
    for (const name of [".gitignore", "README.md", "src/a.ts"])
      writeFileSync(join(cwd, name), "x\n");
    const kernel = createKernel({ extends: [everyday] });
    const place = { cwd, workspace: cwd, home: "/home/dev" };
    const effect = async (): Promise<string> => {
      const call = { hook: "beforeToolCall", tool: "bash", args: { command } } as const;
      return (await kernel.decide({ ...call, ...place })).effect;
    };
    expect(await effect()).toBe("allow");
    // Shells find it only with an option set.
    writeFileSync(join(cwd, ".env"), "TOKEN=x\n");
    expect(await effect()).toBe("ask_user");
  },
);
