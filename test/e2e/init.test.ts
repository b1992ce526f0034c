import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bylaw, json, scratch } from "./bylaw.ts";

const FORMATS = ["ts", "json", "yaml", "toml"] as const;

function tree(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), "utf8"),
    ]),
  );
}

describe.each(FORMATS)("--format %s", (format) => {
  test("writes a configuration and a policy that work at once", () => {
    const cwd = scratch({ "README.md": "hello" });
    const ran = bylaw(["init", "--format", format], { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(`wrote .bylaw/policy.toml\nwrote bylaw.config.${format}\n`);
    expect(ran.stdout).toContain(
      "npm install --save-dev @bylaw/cli @bylaw/kernel @bylaw/plugin-policy",
    );
    const ask = (tool: string, args: object) => {
      const checked = bylaw(["check", "--tool", tool, "--args", JSON.stringify(args), "--json"], {
        cwd,
      });
      expect(checked.stderr).toBe("");
      const { effect, rule } = json(checked);
      return [effect, (rule as { name?: string } | undefined)?.name];
    };
    expect(ask("read_file", { path: "README.md" })).toEqual(["allow", "read-the-project"]);
    expect(ask("read_file", { path: "../other/README.md" })).toEqual(["ask_user", undefined]);
    expect(ask("read_file", { path: ".env" })).toEqual(["deny", "no-secret-files"]);
    expect(ask("bash", { command: "git status" })).toEqual(["allow", "see-the-status"]);
    expect(ask("bash", { command: "git push --force" })).toEqual(["deny", "no-force-push"]);
    expect(ask("Bash", { command: "git push -uf origin main" })).toEqual(["deny", "no-force-push"]);
    expect(ask("write_file", { path: "src/x.ts" })).toEqual(["ask_user", undefined]);
    expect(ask("write_file", { path: `bylaw.config.${format}` })).toEqual([
      "ask_user",
      "people-change-the-rules",
    ]);
    expect(ask("write_file", { path: ".bylaw/policy.toml" })).toEqual([
      "ask_user",
      "people-change-the-rules",
    ]);
  });

  test("a second time it says so and writes nothing", () => {
    const cwd = scratch();
    bylaw(["init", "--format", format], { cwd });
    const before = tree(cwd);
    for (const again of FORMATS) {
      const ran = bylaw(["init", "--format", again], { cwd });
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(
        new RegExp(
          `^error BYLAW_INIT_EXISTS: bylaw\\.config\\.${format} already exists; nothing was written\n {2}fix: `,
        ),
      );
    }
    expect(tree(cwd)).toEqual(before);
  });
});

test("a policy that is there keeps everything from being written", () => {
  const cwd = scratch({ ".bylaw/policy.toml": "# mine\n" });
  expect(bylaw(["init"], { cwd })).toMatchObject({ code: 2 });
  expect(tree(cwd)).toEqual({ [join(cwd, ".bylaw/policy.toml")]: "# mine\n" });
});

test("a link that leads nowhere is not followed, and what was written is taken back", () => {
  const cwd = scratch();
  symlinkSync(join(cwd, "elsewhere.ts"), join(cwd, "bylaw.config.ts"));
  expect(bylaw(["init"], { cwd }).stderr).toMatch(/^error BYLAW_INIT_EXISTS/);
  expect(tree(cwd)).toEqual({});
});

test("makes the folder that it is given, and prints JSON for a script", () => {
  const cwd = scratch({ "file.txt": "" });
  const ran = bylaw(["init", "deep/project", "--format", "yaml", "--json"], { cwd });
  expect(ran.code).toBe(0);
  const written = [".bylaw/policy.toml", "bylaw.config.yaml", ".bylaw/.gitignore"].map((file) =>
    join(cwd, "deep/project", file),
  );
  expect(json(ran)).toMatchObject({ written });
  const onFile = bylaw(["init", "file.txt", "--json"], { cwd });
  expect(onFile.code).toBe(2);
  expect(json(onFile)).toMatchObject({
    error: { code: "BYLAW_INIT_EXISTS", file: join(cwd, "file.txt") },
  });
});

test("git adds what people write beside the policy, and nothing that Bylaw keeps there", () => {
  const cwd = scratch();
  bylaw(["init"], { cwd });
  for (const folder of ["logs", "memory", "tmp", "templates"])
    mkdirSync(join(cwd, ".bylaw", folder));
  const kept = [
    "store.db",
    "store.db-wal",
    "events.jsonl",
    "logs/w.jsonl",
    "logs/w.jsonl.heads",
    "memory/behavior.json",
    "tmp/x",
    "a.secret",
  ];
  // Code has any name: what is none of Bylaw's own is for git to show.
  const shown = ["operators.json", "templates/cases.jsonl", "templates/w.json", "impl.js"];
  for (const file of [...kept, ...shown]) writeFileSync(join(cwd, ".bylaw", file), "{}\n");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
  git("init", "--quiet");
  git("add", "--all");
  expect(git("ls-files").split("\n").toSorted()).toEqual(
    [...[...shown, "policy.toml"].map((file) => `.bylaw/${file}`), "bylaw.config.ts"].toSorted(),
  );
});

test("a list of what git leaves out that is there stays as it is", () => {
  const cwd = scratch({ ".bylaw/.gitignore": "mine\n" });
  expect(bylaw(["init"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining(".gitignore"),
  });
  expect(readFileSync(join(cwd, ".bylaw/.gitignore"), "utf8")).toBe("mine\n");
});

test.runIf(existsSync("/proc/self"))(
  "ends where the system can make no folder, and says so",
  () => {
    const ran = bylaw(["init", "/proc/none/deeper"], { cwd: scratch() });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^error BYLAW_INIT_FAILED/);
  },
);
