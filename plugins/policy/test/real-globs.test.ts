import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Decision } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, expect, test } from "vitest";
import { policy } from "../src/index.ts";

let root = "";
let work = "";
beforeEach(() => {
  root = temporaryFolder();
  work = join(root, "work");
  mkdirSync(join(work, "src/deep"), { recursive: true });
  mkdirSync(join(root, "secret/in"), { recursive: true });
  writeFileSync(join(root, "secret/key"), "x");
  writeFileSync(join(work, "src/a.ts"), "x");
  writeFileSync(join(work, "src/deep/key"), "x");
});

const text = (): string => `
[[rules]]
name = "secret"
action = "deny"
tool = "*"
paths = "${root}/secret/**"
[[rules]]
name = "cat"
action = "allow"
tool = "bash"
command = ["cat *", "cp *"]
paths = "${work}/**"
`;

async function line(command: string): Promise<Decision> {
  const kernel = createKernel({ plugins: [policy({ text: text() })] });
  return kernel.decide(
    await kernel.prepare({
      hook: "beforeToolCall",
      tool: "bash",
      args: { command },
      cwd: work,
      home: root,
    }),
  );
}

test("globs that match no link are allowed as written", async () => {
  for (const command of [
    "cat src/*.ts",
    "cat ./*/*/key",
    "cat s*/a.ts",
    "cat none/*",
    `cat ${work}/s*/*`,
  ]) {
    expect([command, (await line(command)).effect]).toEqual([command, "allow"]);
  }
});

test("a folder that a glob matches may be a link", async () => {
  symlinkSync(join(root, "secret"), join(work, "src/link"));
  symlinkSync("..", join(work, "up"));
  for (const command of [
    "cat src/l*/key",
    "cat src/*/key",
    "cat */link/key",
    "cat */*/key",
    "cat u?/secret/key",
    "cat src/*/in/*",
    `cat ${work}/src/l*/key`,
    "cd src && cat l*/key",
    "cp src/a.ts src/l*/",
  ]) {
    expect([command, (await line(command)).rule?.name]).toEqual([command, "secret"]);
  }
  for (const command of ["cat src/*.ts", "cat src/d*/key"])
    expect([command, (await line(command)).effect]).toEqual([command, "allow"]);
});

test("a file that a glob matches may be a link", async () => {
  symlinkSync(join(root, "secret/key"), join(work, "src/k.ts"));
  expect((await line("cat src/*.ts")).rule?.name).toBe("secret");
  expect((await line("cat src/a*.ts")).effect).toBe("allow");
});

test("a link out of what is allowed is not covered, one that stays inside is", async () => {
  symlinkSync("/usr", join(work, "src/usr"));
  symlinkSync("deep", join(work, "src/twin"));
  expect((await line("cat src/u*/key")).effect).toBe("ask_user");
  expect((await line("cat src/t*/key")).effect).toBe("allow");
});

test("a loop, and a folder with too many entries, are unknown", async () => {
  symlinkSync("loop", join(work, "src/loop"));
  expect(await line("cat src/l*")).toMatchObject({ effect: "ask_user", code: "unknown_path" });
  const wide = join(work, "wide");
  mkdirSync(wide);
  for (let at = 0; at < 10_001; at++) symlinkSync("x", join(wide, String(at)));
  expect(await line("cat wide/a*")).toMatchObject({ effect: "ask_user", code: "unknown_path" });
});

test("a line that repeats the matches of a glob again and again is too large", async () => {
  const wide = join(work, "wide");
  mkdirSync(wide);
  for (let at = 0; at < 300; at++) symlinkSync("../src/a.ts", join(wide, String(at)));
  expect((await line("cat wide/*")).effect).toBe("allow");
  const again = Array.from({ length: 400 }, (_, at) => `cat wide/* src/${at};`).join("");
  expect(await line(again)).toMatchObject({ effect: "deny", code: "unknown_command" });
});
