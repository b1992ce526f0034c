import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type Decision } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { inFolder } from "./kit.ts";

const text = `
[[rules]]
name = "secrets"
action = "deny"
tool = "*"
paths = ["**/.env", "**/.ssh/**"]
[[rules]]
name = "fixtures"
action = "ask_user"
tool = "*"
paths = "**/*.pem"
[[rules]]
name = "no-notes-for-ack"
action = "deny"
command = "ack *"
paths = "**/notes.txt"
[[rules]]
name = "search"
action = "allow"
command = ["{grep,rgrep,ack,diff} *", "tar {cf,chf} [!-]* *", "zip -r [!-]* *", "touch *", "rm *", "cd *", "cat *", "head *", "ls *", "find *", "du *", "git checkout *", "git add *"]
paths = { read = ["./?*", "./?*/**"], write = "./*.tar" }
`;

let work = "";
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-printed-")));
  for (const path of ["a.md", "src/a.ts", "src/deep/b.ts", "test/key.pem"]) create(path);
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const { create } = inFolder(() => work);

const kernel = createKernel({ plugins: [policy({ text })] });
const decide = async (command: string, cwd = work): Promise<Decision> =>
  kernel.decide({
    ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
    ...{ cwd, workspace: cwd, home: "/home/dev" },
  });
const effectOf = async (command: string, cwd?: string): Promise<string> =>
  (await decide(command, cwd)).effect;

const SEARCHES = readCases<string>(import.meta, "searches");

describe("a search below a folder", () => {
  it.each(SEARCHES)("is allowed if no file there is denied: %s", async (line) => {
    expect(await effectOf(line)).toBe("allow");
  });

  it.each(SEARCHES)("is asked about if one is: %s", async (line) => {
    create("src/deep/.env");
    expect(await decide(line)).toMatchObject({
      effect: "ask_user",
      code: "unknown_path",
      reason: expect.stringMatching(/`secrets` may be about .*, which may use `src\/deep\/\.env`/),
    });
  });

  it.each([
    "grep -r KEY src --include='*.ts'",
    "grep -r KEY . --include='*.ts'",
    "grep -r KEY src --exclude-dir=deep",
    "grep KEY src/a.ts",
    "ls -R src",
    "find src -type f",
    "du -a src",
  ])("leaves out a denied file, or prints names alone: %s", async (line) => {
    create("src/deep/.env");
    expect(await effectOf(line)).toBe("allow");
  });

  it.each([
    "grep -r KEY src --exclude-dir='d*'",
    "grep -r KEY src --exclude-dir=dee",
    "grep -r KEY src --include=.env",
    "grep -r KEY src --include='.*'",
    "grep -r KEY src --exclude='*.ts' --include='*.ts'",
    "grep -R KEY src",
  ])("may still use it: %s", async (line) => {
    create("src/deep/.env");
    expect(await effectOf(line)).toBe("ask_user");
  });

  it.each(["ack KEY src", "ack KEY src; grep -r KEY src", "grep -r KEY src; ack KEY src"])(
    "is asked about if one program may not print a file there: %s",
    async (line) => {
      create("src/deep/notes.txt");
      expect(await effectOf("grep -r KEY src")).toBe("allow");
      expect(await effectOf(line)).toBe("ask_user");
    },
  );

  it("is asked about if a denied folder lies there", async () => {
    create("src/.ssh/config");
    expect(await effectOf("grep -r KEY src")).toBe("ask_user");
  });

  it("follows no link below the folder, but one that is the folder", async () => {
    create("other/.env");
    symlinkSync("../other", join(work, "src/link"));
    symlinkSync("other", join(work, "named"));
    expect(await effectOf("grep -r KEY src")).toBe("allow");
    expect(await effectOf("grep -r KEY named")).toBe("ask_user");
  });

  it("is asked about if there are too many files to look at", async () => {
    mkdirSync(join(work, "many"));
    for (let id = 0; id <= 10_000; id += 1) writeFileSync(join(work, "many", `${id}`), "");
    expect(await decide("grep -r KEY many")).toMatchObject({
      effect: "ask_user",
      reason: expect.stringContaining("too many files"),
    });
    expect(await effectOf("grep -r KEY . --exclude-dir=many")).toBe("allow");
  });
});

describe("a search of the whole workspace", () => {
  it.each([
    "git checkout main && grep -r KEY .",
    "grep -r KEY . & git checkout main",
    "while true; do grep -r KEY .; git checkout main; done",
    "echo x > x.tar; grep -r KEY .",
  ])("is asked about if the line may add files: %s", async (line) => {
    expect(await effectOf(line)).toBe("ask_user");
  });

  it("is allowed after a command that adds no file", async () => {
    expect(await effectOf("cat a.md && git add a.md && grep -r KEY .")).toBe("allow");
  });

  it("is asked about where the host does not see the workspace", async () => {
    expect(await effectOf("grep -r KEY .", "/nowhere/work")).toBe("ask_user");
    expect(await effectOf("grep -r KEY src", "/nowhere/work")).toBe("allow");
  });

  it("reads no parent folder", async () => {
    expect(await effectOf("grep -r KEY ..", join(work, "src"))).toBe("ask_user");
  });
});

describe("a command that follows links", () => {
  const lines = [
    "grep -R KEY src",
    "grep -R KEY src/deep test",
    "diff -r src test",
    "diff -rq src test",
    "zip -r a.tar src",
    "tar chf a.tar src",
  ];

  it.each(lines)("is allowed if there is no link below its folders: %s", async (line) => {
    expect(await effectOf(line)).toBe("allow");
  });

  it.each(lines)("is not allowed if there is one: %s", async (line) => {
    symlinkSync(tmpdir(), join(work, "src/deep/out"));
    expect(await effectOf(line)).toBe("ask_user");
  });

  it.each(lines)("is asked about if a denied file is there: %s", async (line) => {
    create("src/deep/.env");
    expect((await decide(line)).reason).toContain("which may use `src/deep/.env`");
  });

  it("may leave out what zip is told to", async () => {
    expect(await effectOf("zip -r a.tar src -x '*.log' .env")).toBe("allow");
    create(".env");
    for (const rest of ["@ .env", "-r .env", "-x.log .env"])
      expect([rest, await effectOf(`zip -r a.tar src -x a ${rest}`)]).toEqual([rest, "deny"]);
  });

  it("is not allowed if its folder is a link, or another command may make one", async () => {
    symlinkSync("src", join(work, "other"));
    expect(await effectOf("grep -R KEY other")).toBe("ask_user");
    expect(await effectOf("grep -R KEY src/*")).toBe("ask_user");
    expect(await effectOf("touch src/x && grep -R KEY src")).toBe("ask_user");
    expect(await effectOf("ln -s /etc src/x; grep -R KEY src")).toBe("ask_user");
  });
});
