import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Decision, type JsonObject } from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
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
name = "daily"
action = "allow"
command = ["git {add,stage,diff,stash,mv,checkout} *", "git commit -m *", "git switch -c *", "{cd,cp,echo,printf,rg,touch,xargs,wc,head,tar,npm,mv,rm,find,prettier} *", "sed -i *", "prettier --write *", "find [!-]* -name * -delete", "tar xf *"]
paths = "./**"
[[rules]]
name = "search"
action = "allow"
tool = "Grep|grep_search|Glob|Read|read_many_files"
paths = { read = "./**" }
`;

let work = "";
beforeEach(() => {
  work = temporaryFolder();
  git("init", "-q");
  create(".gitignore", "node_modules/\n/.env\n");
  for (const path of [".env", "a.md", "src/a.ts", "src/deep/b.ts", "node_modules/x/.env"])
    create(path);
  git("add", ".");
});

const configured = process.env["XDG_CONFIG_HOME"];
afterEach(() => {
  if (configured === undefined) delete process.env["XDG_CONFIG_HOME"];
  else process.env["XDG_CONFIG_HOME"] = configured;
});

const { create, git } = inFolder(() => work);

const kernel = createKernel({ plugins: [policy({ text })] });
const decide = async (tool: string, args: JsonObject, cwd = work): Promise<Decision> =>
  kernel.decide({
    ...{ hook: "beforeToolCall", tool, args, cwd, workspace: work, home: join(work, "home") },
  });
const run = async (command: string): Promise<string> => (await decide("bash", { command })).effect;
const grep = async (args: JsonObject, cwd?: string): Promise<string> =>
  (await decide("Grep", { pattern: "KEY", ...args }, cwd)).effect;

const ADDS = readCases<string>(import.meta, "adds");

describe("`git add` of a folder", () => {
  it.each(ADDS)("is allowed if git ignores the denied files there: %s", async (line) => {
    expect(await run(line)).toBe("allow");
  });

  it.each(ADDS)("is asked about if it adds one: %s", async (line) => {
    create("src/deep/.env");
    expect(await run(line)).toBe("ask_user");
  });

  it.each([
    "git add src/a.ts",
    "git add src/*.ts",
    "git add '*.ts'",
    "git add -u",
    "git add -n .",
    "git add node_modules/y.js a.md",
  ])("is allowed if it adds others: %s", async (line) => {
    create("src/deep/.env");
    expect(await run(line)).toBe("allow");
  });

  it("names the file", async () => {
    create("src/deep/.env");
    expect(await decide("bash", { command: "git add ." })).toMatchObject({
      code: "unknown_path",
      reason: expect.stringMatching(/`secrets` may be about .*, which may use `src\/deep\/\.env`/),
    });
  });

  it("is allowed if git tracks the file already, and asked about with `--force`", async () => {
    expect(await run("git add -f .")).toBe("ask_user");
    create("src/.env");
    git("add", "src/.env");
    expect(await run("git add .")).toBe("allow");
    git("rm", "-q", "--cached", "src/.env");
    expect(await run("git add .")).toBe("ask_user");
  });

  it("looks at the whole repository behind a link and without an index", async () => {
    symlinkSync("src", join(work, "other"));
    create("src/deep/.env");
    expect(await run("cd other && git add -A")).toBe("ask_user");
    rmSync(join(work, ".git/index"));
    expect(await run("git add .")).toBe("ask_user");
    rmSync(join(work, "src/deep/.env"));
    expect(await run("git add .")).toBe("allow");
  });

  it("is asked about if it cannot be known what git ignores", async () => {
    writeFileSync(join(work, ".git/index"), "DIRC");
    expect(await run("git add .")).toBe("allow");
    rmSync(join(work, ".gitignore"));
    symlinkSync("a.md", join(work, ".gitignore"));
    expect(await run("git add src")).toBe("allow");
    expect(await run("git add .")).toBe("ask_user");
  });

  it.each(readCases<string>(import.meta, "changes-of-ignored-files"))(
    "is asked about if the line may change what git ignores: %s",
    async (line) => {
      expect(await run(line)).toBe("ask_user");
    },
  );

  it.each([
    "touch a.md && git add .",
    "git switch -c topic && git add -A && git commit -m x",
    "npm test && git add .",
    "sed -i s/a/b/ src/*.ts && git add .",
    "prettier --write src && git add .",
    "find . -name '*.orig' -delete && git add .",
    "git add . && git checkout main",
  ])("is allowed after what changes other files: %s", async (line) => {
    expect(await run(line)).toBe("allow");
  });
});

describe("a search tool", () => {
  it("is allowed if git ignores the denied files below its folder", async () => {
    expect(await grep({})).toBe("allow");
    expect(await grep({ path: "src" })).toBe("allow");
    expect(await grep({ path: "." }, join(work, "src"))).toBe("allow");
  });

  it("is asked about if it may print one", async () => {
    create("src/deep/.env");
    for (const args of [{}, { path: "." }, { path: "src" }, { path: "src", type: "ts" }])
      expect(await grep(args)).toBe("ask_user");
    expect(await decide("Grep", { pattern: "KEY" })).toMatchObject({
      code: "unknown_path",
      reason: "This search may print `src/deep/.env`, which the rule `secrets` is about.",
    });
    expect((await decide("grep_search", { query: "KEY", path: "src" })).effect).toBe("ask_user");
    const many = async (paths: string[]): Promise<string> =>
      (await decide("read_many_files", { paths })).effect;
    expect([await many(["src"]), await many(["src/a.ts"])]).toEqual(["ask_user", "allow"]);
  });

  it("is asked about if the file is tracked, or in a hidden folder", async () => {
    create("src/.env");
    git("add", "-f", "src/.env");
    expect(await grep({ path: "src" })).toBe("ask_user");
    create("lib/.ssh/config");
    expect(await grep({ path: "lib" })).toBe("ask_user");
  });

  it("is decided by the files that a glob names", async () => {
    create("src/deep/.env");
    expect(await grep({ glob: "*.ts" })).toBe("allow");
    expect(await grep({ glob: "src/**/*.ts" })).toBe("allow");
    for (const glob of ["*", "**", "src/**", "*env", "*.{ts,env}", ".*", "!*.ts"])
      expect(await grep({ glob })).toBe("ask_user");
    expect(await grep({ glob: "**/.env" })).toBe("deny");
  });

  it("is asked about if its glob stands above what git ignores", async () => {
    create("src/a.js");
    for (const glob of ["*", "**", "**/*", "*env*", ".e?v", "*.{md,env}", ["*.ts", "*nv"]])
      expect(await grep({ glob })).toBe("ask_user");
    for (const glob of ["*.ts", "*.{ts,js}", "src/**/*.{ts,js}", "!*.md", "node_modules/*.js"])
      expect(await grep({ glob })).toBe("allow");
    expect(await grep({ path: "src", glob: "**" })).toBe("allow");
  });

  it.each([
    { includeIgnoredFiles: true },
    { respect_git_ignore: false },
    { "--no-ignore": true },
    { flags: "-uuu" },
    { args: ["--no-ignore"] },
    { file_filtering_options: { respect_git_ignore: false } },
  ])("is asked about if an argument may add what git ignores: %j", async (more) => {
    expect(await grep(more)).toBe("ask_user");
    expect(await grep({ ...more, path: "src" })).toBe("allow");
  });

  it.each([
    { "-n": true, "-C": 3, output_mode: "content", head_limit: 20, multiline: true },
    { includeIgnoredFiles: false, no_ignore: false, respect_git_ignore: true },
    { file_filtering_options: { respect_git_ignore: true } },
  ])("is allowed with arguments that add no file: %j", async (more) => {
    expect(await grep(more)).toBe("allow");
  });

  it("is asked about where a file of ripgrep may re-include what git ignores", async () => {
    create("lib/b.ts");
    create("src/.ignore", "!.env\n");
    expect(await grep({})).toBe("allow");
    create("node_modules/.rgignore", "!.env\n");
    expect(await grep({})).toBe("allow");
    create(".ignore", "!.env\n");
    expect(await grep({})).toBe("ask_user");
    expect(await grep({ path: "lib" })).toBe("allow");
    create("lib/.env");
    create("lib/.gitignore", ".env");
    expect(await grep({ path: "." }, join(work, "lib"))).toBe("ask_user");
  });

  it("searches everything where there is no repository", async () => {
    rmSync(join(work, ".git"), { recursive: true });
    expect(await grep({ path: "src" })).toBe("allow");
    expect(await grep({})).toBe("ask_user");
  });

  it("is allowed if it prints only names, or one other file", async () => {
    create("src/deep/.env");
    expect((await decide("Glob", { pattern: "**/*" })).effect).toBe("allow");
    expect((await decide("Read", { file_path: "src/a.ts" })).effect).toBe("allow");
  });

  it("is asked about if there are too many files to look at", async () => {
    mkdirSync(join(work, "many"));
    execFileSync("sh", ["-c", "seq 50001 | xargs touch"], { cwd: join(work, "many") });
    expect(await grep({ path: "many" })).toBe("ask_user");
    expect(await run("git add many")).toBe("ask_user");
    create(".gitignore", "node_modules/\n/.env\nmany/\n");
    expect(await grep({})).toBe("allow");
    expect(await run("git add .")).toBe("allow");
  });
});

describe("`rg` leaves out hidden files and what git ignores", () => {
  it("so it is allowed beside them, and asked about where it prints one", async () => {
    create("src/deep/.env");
    create("lib/.hidden/.ssh/config");
    for (const line of [
      "rg KEY",
      "rg KEY src",
      "rg KEY -t ts",
      "npm test; rg KEY",
      "mv a b && rg KEY",
    ])
      expect(await run(line)).toBe("allow");
    expect(await run("rg KEY lib/.hidden")).toBe("allow");
    expect(await run("rg --hidden KEY")).toBe("ask_user");
    expect(await run("rg -uu KEY src")).toBe("ask_user");
  });

  it.each([
    [".gitignore", "node_modules/\n/.env\n!.env\n"],
    ["src/.gitignore", "!.env"],
    [".ignore", "!.env"],
    ["src/deep/.rgignore", "!.env"],
  ])("is asked about if a file takes one back: %s", async (file, rules) => {
    create("src/deep/.env");
    expect(await run("rg KEY src")).toBe("allow");
    create(file, rules);
    expect(await run("rg KEY src")).toBe("ask_user");
    expect(await run("cd src && rg KEY deep")).toBe("ask_user");
    expect(await run("rg -l KEY src")).toBe("allow");
  });

  it.each([
    "printf '!.env' > .ignore && rg KEY",
    "printf '!.env' >> src/.gitignore; rg KEY",
    "mv a.md .rgignore && rg KEY",
    "rm .gitignore && rg KEY",
    "rg KEY & printf '!.env' > .ignore",
  ])("is asked about if the line may take one back: %s", async (line) => {
    expect(await run(line)).toBe("ask_user");
  });

  it.each([
    [".git/info/exclude", "!.env\n"],
    ["home/.config/git/ignore", "# mine\n!.env\n"],
    ["home/rules", "!.env\n"],
  ])("is asked about if %s takes one back", async (file, rules) => {
    create("src/deep/.env");
    create("home/.gitconfig", "[core]\n\texcludesFile = ~/rules\n");
    create(file, "*.log\n");
    expect(await run("rg KEY src")).toBe("allow");
    create(file, rules);
    expect(await run("rg KEY src")).toBe("ask_user");
    expect(await run("rg -l KEY src")).toBe("allow");
  });

  it.each([
    ["[include]\n\tpath = own.inc\n", "home/own.inc"],
    ['[includeIf "gitdir:~/job/"] path = "~/own.inc" \n', "home/own.inc"],
    ["[include]\n\tpath = gone\n\tpath = a/own.inc\n", "home/a/own.inc"],
  ])("is asked about if an included configuration names such a list: %s", async (text, file) => {
    create("src/deep/.env");
    create("home/.gitconfig", text);
    create(file, "[core] excludesFile = ~/rules\n");
    create("home/rules", "*.log\n");
    expect(await run("rg KEY src")).toBe("allow");
    create("home/rules", "!.env\n");
    expect(await run("rg KEY src")).toBe("ask_user");
  });

  it.each([
    "[core]\n\texcludesFile = rules\n",
    '[core]\n\texcludesFile = "~/ru\\"les"\n',
    "[core]\n\texcludesFile = ~other/rules\n",
    "[include]\n\tpath = .gitconfig\n",
  ])("is asked about if a configuration is not certain: %s", async (text) => {
    create("src/deep/.env");
    create("home/.gitconfig", text);
    expect(await run("rg KEY src")).toBe("ask_user");
  });

  it("is asked about if a list below XDG_CONFIG_HOME takes one back", async () => {
    process.env["XDG_CONFIG_HOME"] = join(work, "settings");
    create("src/deep/.env");
    create("settings/git/ignore", "*.log\n");
    expect(await run("rg KEY src")).toBe("allow");
    create("settings/git/ignore", "!.env\n");
    expect(await run("rg KEY src")).toBe("ask_user");
    create("settings/git/ignore", "*.log\n");
    create("settings/git/config", "[core]\nexcludesFile = ~/rules\n");
    create("home/rules", "!.env\n");
    expect(await run("rg KEY src")).toBe("ask_user");
    process.env["XDG_CONFIG_HOME"] = "relative";
    create("home/rules", "");
    expect(await run("rg KEY src")).toBe("ask_user");
  });

  it("is asked about in a linked working tree if the list of the repository takes one back", async () => {
    git("-c", "user.email=a@b.c", "-c", "user.name=a", "commit", "-qm", "a");
    const linked = join(work, "tree");
    git("worktree", "add", "-q", linked);
    create("tree/.env");
    writeFileSync(join(linked, ".gitignore"), "*.log\n");
    const decided = async (): Promise<string> =>
      (await decide("bash", { command: "rg KEY" }, linked)).effect;
    expect(await decided()).toBe("allow");
    create(".git/info/exclude", "!.env\n");
    expect(await decided()).toBe("ask_user");
  });

  it("lists the same files for another program", async () => {
    create("src/deep/.env");
    const lists = [
      "rg -l KEY | xargs wc",
      "rg --files src | xargs wc",
      "rg -l KEY src | head -3 | xargs wc",
    ];
    for (const line of lists) expect(await run(line)).toBe("allow");
    expect(await run("rg -l --hidden KEY | xargs wc")).toBe("ask_user");
    expect(await run("printf '!.env' > .ignore; rg -l KEY | xargs wc")).toBe("ask_user");
    expect(await run("rg -l KEY -g '*' | xargs wc")).toBe("ask_user");
    create(".ignore", "!.env");
    for (const line of lists) expect(await run(line)).toBe("ask_user");
  });

  it("is asked about in an ignored folder that the command names", async () => {
    create("node_modules/x/b.js");
    expect(await run("rg KEY node_modules/x")).toBe("ask_user");
    expect(await grep({ path: "node_modules/x" })).toBe("ask_user");
    rmSync(join(work, "node_modules/x/.env"));
    expect(await run("rg KEY node_modules/x")).toBe("allow");
    expect(await grep({ path: "node_modules/x" })).toBe("allow");
  });

  it("is asked about if the file is not hidden, by the globs of the command", async () => {
    const text = '[[rules]]\nname = "s"\naction = "deny"\npaths = "**/secrets.yml"\n';
    const strict = createKernel({ plugins: [policy({ text: text + RG })] });
    const decided = async (command: string): Promise<string> =>
      (
        await strict.decide({
          ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
          ...{ cwd: work, workspace: work, home: "/home/dev" },
        })
      ).effect;
    create("src/secrets.yml");
    expect(await decided("rg KEY")).toBe("ask_user");
    expect(await decided("rg KEY -g '*.ts'")).toBe("allow");
    create("src/.gitignore", "secrets.yml");
    expect(await decided("rg KEY")).toBe("allow");
    expect(await decided("rg KEY -g '*.yml'")).toBe("ask_user");
  });
});

const RG =
  '[[rules]]\nname = "rg"\naction = "allow"\ncommand = ["rg *", "rg -g * *"]\npaths = "./**"\n';

it("a copy of a folder is asked about if a denied file is in it", async () => {
  expect(await run("cp -r src lib")).toBe("allow");
  create("src/deep/.env");
  expect(await run("cp -r src lib")).toBe("ask_user");
  expect(await run("cp -a src/deep lib")).toBe("ask_user");
  expect(await run("cp src/a.ts lib")).toBe("allow");
  expect(await run("cp -r node_modules lib")).toBe("ask_user");
});
