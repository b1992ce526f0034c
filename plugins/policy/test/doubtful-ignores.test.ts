import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { inFolder } from "./kit.ts";

const text = `
[[rules]]
name = "secrets"
action = "deny"
tool = "*"
paths = "**/.env"
[[rules]]
name = "daily"
action = "allow"
command = "{rg,git add,xargs,wc} *"
paths = "./**"
`;
const kernel = createKernel({ plugins: [policy({ text })] });

let work = "";
beforeEach(() => {
  work = temporaryFolder();
  execFileSync("git", ["-C", work, "init", "-q"]);
});

const { create } = inFolder(() => work);

async function run(command: string): Promise<string> {
  const folders = { cwd: work, workspace: work, home: "/home/dev" };
  const call = { hook: "beforeToolCall", tool: "bash", args: { command }, ...folders } as const;
  return (await kernel.decide(call)).effect;
}

const LONG = `#${"x".repeat(70_000)}\n`;

describe("`rg` is asked about if it is in doubt whether a hidden file is taken back", () => {
  it.each([
    ["a tab at the end", "!.env\t\n"],
    ["a byte order mark", "\uFEFF!.env\n"],
    ["braces", "!{.env,.x}\n"],
    ["a long file", `!.env\n${LONG}`],
    ["a line that lists it before", ".env\n!.env\t\n"],
  ])("%s", async (_, content) => {
    create("src/.env");
    create(".gitignore", "*.log\n!.github/\n!Keep.[ch]\r\n");
    expect(await run("rg KEY")).toBe("allow");
    create(".gitignore", content);
    expect(await run("rg KEY")).toBe("ask_user");
  });

  it("a `.gitignore` that is a link", async () => {
    create("src/.env");
    create("rules", "!.env\n");
    symlinkSync("rules", join(work, ".gitignore"));
    expect(await run("rg KEY")).toBe("ask_user");
  });

  it("a folder that may be a repository", async () => {
    create("src/.env");
    mkdirSync(join(work, "src/.git"));
    expect(await run("rg KEY")).toBe("ask_user");
  });

  it("a name that is not plain, but not the folders above the repository", async () => {
    work = join(work, "é");
    create("src/.env");
    execFileSync("git", ["-C", work, "init", "-q"]);
    expect(await run("rg KEY")).toBe("allow");
    create("src/é/.env");
    expect(await run("rg KEY")).toBe("ask_user");
  });
});

it("`rg` is asked about with a type that may have hidden files", async () => {
  create("src/.env");
  for (const line of ["rg KEY", "rg KEY -t ts -tpy", "rg --type=md KEY src", "rg KEY -T sh"])
    expect(await run(line), line).toBe("allow");
  for (const line of [
    ...["rg KEY -t sh", "rg -tsh KEY src", "rg --type sh KEY", "rg --type=all KEY"],
    ...["rg KEY -t ts -t sh", "rg KEY -t $TYPE", "rg --ignore-file-case-insensitive KEY"],
    "rg -l KEY -t sh | xargs wc",
  ])
    expect(await run(line), line).toBe("ask_user");
});

describe("what takes too long to compare counts as not ignored", () => {
  beforeEach(() => {
    create(".gitignore", ".env\n");
  });

  it("a file below many folders", async () => {
    create(`${"a/".repeat(31)}.env`);
    expect(await run("git add .")).toBe("allow");
    // Without a limit, this takes minutes.
    create(`${"a/".repeat(1_500)}.env`);
    expect(await run("git add .")).toBe("ask_user");
  });

  it("a file below one of many long `.gitignore` files", async () => {
    for (let at = 0; at < 40; at++) {
      create(`src/${at}/.env`);
      create(`src/${at}/.gitignore`, "x\n".repeat(32_000));
    }
    expect(await run("git add src/0")).toBe("allow");
    expect(await run("git add src")).toBe("ask_user");
  });

  it("many files that a long `.gitignore` may list", async () => {
    const rules = Array.from({ length: 5_000 }, (_, at) => `*${at}z\n`).join("");
    create(".gitignore", `${rules}.env\n`);
    for (let at = 0; at < 500; at++) create(`src/${at}/.env`);
    expect(await run("git add src/0 src/1")).toBe("allow");
    expect(await run("git add .")).toBe("ask_user");
  });
});
