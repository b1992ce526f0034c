import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { copyForEach, inFolder } from "./kit.ts";

const text = `
[[rules]]
name = "no-recursive-delete"
action = "deny"
effects = ["delete-below"]
[[rules]]
name = "outputs"
priority = "workspace"
action = "allow"
command = "rm -rf *"
git_ignored = true
paths = "./**"
[[rules]]
name = "daily"
action = "allow"
command = ["cd *", "echo *", "mv *", "ln -s *", "git rm *"]
paths = "./**"
`;

let work = "";
copyForEach(
  (folder) => (work = folder),
  () => {
    git("init", "-q");
    create(".gitignore", "build/\n/gen\n");
    for (const path of ["src/a.ts", "build/a.js", "gen/deep/b.js", "pkg/build/c.js"]) create(path);
    git("add", ".");
  },
);

const { create, git } = inFolder(() => work);

const kernel = createKernel({ plugins: [policy({ text })] });
const callOf = (command: string, cwd = work): ToolCall => ({
  ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
  ...{ cwd, workspace: work, home: "/home/dev" },
});
const effectOf = async (command: string, cwd?: string): Promise<string> =>
  (await kernel.decide(callOf(command, cwd))).effect;

describe("`git_ignored = true`", () => {
  it.each(readCases<string>(import.meta, "covered"))(
    "covers what git ignores: %s",
    async (line) => {
      expect(await effectOf(line)).toBe("allow");
    },
  );

  it.each(readCases<string>(import.meta, "not-covered"))("does not cover %s", async (line) => {
    expect(await effectOf(line)).toBe("deny");
  });

  it("covers a folder that is not there yet", async () => {
    rmSync(join(work, "build"), { recursive: true });
    expect(await effectOf("rm -rf build")).toBe("allow");
  });

  it.each([
    ["git tracks a file in it", () => git("add", "-f", "build/a.js")],
    ["git tracks a file in it, in other letters", () => trackAs("BUILD/a.js")],
    ["git tracked it as a file", () => trackAs("build")],
    ["the workspace has no repository", () => rmSync(join(work, ".git"), { recursive: true })],
    ["the index cannot be read", () => writeFileSync(join(work, ".git/index"), "DIRC")],
    ["it is a repository", () => execFileSync("git", ["init", "-q", join(work, "build")])],
    [
      "it holds a repository",
      () => execFileSync("git", ["init", "-q", join(work, "build/deep/x")]),
    ],
    ["it holds a linked working tree", () => create("build/deep/x/.git", "gitdir: /elsewhere\n")],
    ["`.gitignore` takes it back", () => create(".gitignore", "build/\n!build/\n")],
    ["`.gitignore` has other letters", () => create(".gitignore", "Build/\n")],
    ["`.gitignore` means files only in another folder", () => create(".gitignore", "/pkg/build\n")],
    ["it is a link", () => linkTo("src", "build")],
    ["`.gitignore` is a link", () => linkRules()],
    ["`.gitignore` is a pipe", () => makePipe(".gitignore")],
    ["`.gitignore` is huge", () => create(".gitignore", `build/\n${"a\n".repeat(40_000)}`)],
  ])("does not cover a folder if %s", async (_, change) => {
    expect(await effectOf("rm -rf build")).toBe("allow");
    change();
    expect(await effectOf("rm -rf build")).toBe("deny");
    expect(await effectOf("rm -rf build/")).toBe("deny");
  });

  it("covers a glob only if git ignores all that it finds", async () => {
    create("libs/one/build/d.js");
    create("libs/two/build/own.ts");
    expect(await effectOf("rm -rf libs/*/build")).toBe("allow");
    git("add", "-f", "libs/two/build/own.ts");
    expect(await effectOf("rm -rf libs/o*/build")).toBe("allow");
    expect(await effectOf("rm -rf libs/*/build")).toBe("deny");
    expect(await effectOf("rm -rf libs/o*/build libs/*/build")).toBe("deny");
  });

  it("heeds the `.gitignore` files below the top", async () => {
    create("pkg/.gitignore", "!build/\n");
    expect(await effectOf("rm -rf pkg/build")).toBe("deny");
    create("pkg/.gitignore", "out\n");
    expect(await effectOf("rm -rf pkg/out pkg/build")).toBe("allow");
    expect(await effectOf("rm -rf out")).toBe("deny");
  });

  it("does not cover a folder behind a link", async () => {
    linkTo("pkg", "other");
    expect(await effectOf("rm -rf other/build")).toBe("deny");
  });

  it("says no to a call without the host's facts", () => {
    expect(kernel.decidePrepared(callOf("rm -rf build"))).toMatchObject({ effect: "deny" });
  });
});

function trackAs(name: string): void {
  const blob = git("hash-object", "-w", ".gitignore").trim();
  git("update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
}

function linkRules(): void {
  renameSync(join(work, ".gitignore"), join(work, "rules"));
  symlinkSync("rules", join(work, ".gitignore"));
}

function makePipe(name: string): void {
  rmSync(join(work, name));
  execFileSync("mkfifo", [join(work, name)]);
}

function linkTo(target: string, name: string): void {
  rmSync(join(work, name), { recursive: true, force: true });
  renameSync(join(work, target), join(work, `${target}-moved`));
  symlinkSync(`${target}-moved`, join(work, name));
}

const PATTERNS = ["build", "build/", "/build", "/build/", "**/build", "pkg/build", "pkg/*", "bui*"];
const MORE = ["bui[a-l]d", "pkg/**", "*", "!build", "!/build/", "!pkg/", "\\!build", "# build"];
const FOLDERS = ["build", "pkg/build", "pkg", "pkg/deep/build", "build/pkg"];

it("covers nothing that git does not ignore", async () => {
  for (const path of FOLDERS) mkdirSync(join(work, path), { recursive: true });
  git("rm", "-rq", "--cached", ".");
  let covered = 0;
  for (const first of [...PATTERNS, ...MORE])
    for (const second of ["", ...MORE]) {
      create(".gitignore", `${first}\n${second}\n`);
      const asked = `${FOLDERS.map((path) => `${path}/`).join("\0")}\0`;
      const args = ["-C", work, "check-ignore", "-z", "--stdin"];
      const ignored = spawnSync("git", args, { input: asked, encoding: "utf8" }).stdout.split("\0");
      for (const path of FOLDERS) {
        if ((await effectOf(`rm -rf ${path}`)) !== "allow") continue;
        covered++;
        expect(ignored, `${first} and ${second}`).toContain(`${path}/`);
      }
    }
  expect(covered).toBeGreaterThan(100);
});
