import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { everyday } from "../src/index.ts";

it.each(["ls *", "cat *", "wc -l *", 'for f in *; do wc -l "$f"; done', "head -3 *"])(
  "%s in the root of a project passes until a file of secrets is there",
  async (command) => {
    const cwd = project();
    expect(await effectOf(command, cwd)).toBe("allow");
    // Shells find it only with an option set.
    writeFileSync(join(cwd, ".env"), "TOKEN=x\n");
    expect(await effectOf(command, cwd)).toBe("ask_user");
  },
);

it("ls -d */ finds no file of secrets there, but a link to a folder", async () => {
  const cwd = project();
  writeFileSync(join(cwd, ".env"), "TOKEN=x\n");
  expect(await effectOf("ls -d */ | grep -v x", cwd)).toBe("allow");
  symlinkSync("/etc", join(cwd, "etc"));
  expect(await effectOf("ls -d */", cwd)).toBe("ask_user");
});

it("zip -r and diff -r pass if nothing in the folders is a link or a secret", async () => {
  const cwd = project();
  for (const line of ["zip -r out.zip src", "diff -r src src", "grep -R x src"])
    expect([line, await effectOf(line, cwd)]).toEqual([line, "allow"]);
  symlinkSync("/etc", join(cwd, "src/etc"));
  for (const line of ["zip -r out.zip src", "diff -r src src", "grep -R x src"])
    expect([line, await effectOf(line, cwd)]).toEqual([line, "ask_user"]);
});

function project(): string {
  const cwd = temporaryFolder();
  execFileSync("git", ["init", "-q", cwd]);
  mkdirSync(join(cwd, "src"));
  for (const name of [".gitignore", "README.md", "src/a.ts"]) writeFileSync(join(cwd, name), "x\n");
  return cwd;
}

const kernel = createKernel({ extends: [everyday] });
async function effectOf(command: string, cwd: string): Promise<string> {
  const call = { hook: "beforeToolCall", tool: "bash", args: { command } } as const;
  return (await kernel.decide({ ...call, cwd, workspace: cwd, home: "/home/dev" })).effect;
}
