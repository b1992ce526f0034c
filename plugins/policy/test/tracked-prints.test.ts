import { rmSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { copyForEach, inFolder, rule } from "./kit.ts";

const text = [
  rule("secrets", "deny", 'tool = "*"\npaths = ["**/.env", "**/secrets.yml"]'),
  rule("daily", "allow", 'command = ["{git,cd,ag} *"]\npaths = "./**"'),
].join("");

let work = "";
copyForEach(
  (folder) => (work = folder),
  () => {
    git("init", "-q");
    for (const path of ["a.md", "src/a.ts", "config/b.ts"]) create(path);
    git("add", ".");
  },
);

const { create, git } = inFolder(() => work);

const kernel = createKernel({ plugins: [policy({ text })] });
const run = async (command: string): Promise<string> =>
  (
    await kernel.decide({
      ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
      ...{ cwd: work, workspace: work, home: "/home/dev" },
    })
  ).effect;

const PRINTS = readCases<string>(import.meta, "prints");

describe("git prints the lines of tracked files", () => {
  it.each(PRINTS)("%s is allowed if no deny is about one of them", async (line) => {
    create("config/.env");
    expect(await run(line)).toBe("allow");
  });

  it.each(PRINTS)("%s is asked about if a deny is about one of them", async (line) => {
    create("config/.env");
    git("add", ".");
    expect(await run(line)).toBe("ask_user");
  });

  it.each(["git diff", "git diff -- config", "git log -p"])(
    "%s is asked about if the file is not there any more",
    async (line) => {
      create("config/.env");
      git("add", ".");
      rmSync(join(work, "config"), { recursive: true });
      expect(await run(line)).toBe("ask_user");
    },
  );

  it.each(readCases<string>(import.meta, "allowed"))(
    "%s is allowed, because it prints others, or none",
    async (line) => {
      create("config/.env");
      git("add", ".");
      expect(await run(line)).toBe("allow");
    },
  );

  it("leaves out the files of a submodule", async () => {
    git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
    create("module/.env");
    expect(await run("git diff")).toBe("allow");
    create("src/ü/.env");
    git("add", "src");
    expect(await run("git diff")).toBe("ask_user");
  });

  it("is asked about if the index cannot be read", async () => {
    create(".git/index", "DIRC");
    expect(await run("git diff")).toBe("ask_user");
    rmSync(join(work, ".git"), { recursive: true });
    expect(await run("git diff")).toBe("allow");
  });
});

it("`ag` prints what is neither hidden nor ignored", async () => {
  create("src/.env");
  create("config/secrets.yml");
  expect(await run("ag KEY src")).toBe("allow");
  expect(await run("ag KEY")).toBe("ask_user");
  create(".gitignore", "secrets.yml");
  expect(await run("ag KEY")).toBe("allow");
});
