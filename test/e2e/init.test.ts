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
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { root } from "../contract/workspaces.ts";
import { BIN, bylawHere, json, jsonLines, scratch, workplace } from "./bylaw.ts";
import { answer } from "./terminal.ts";

const INIT = [BIN, "init"];
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

type Expected = readonly [tool: string, args: object, effect: string, rule?: string];

/** Decides calls in a project, and compares each effect and its source with the expected ones. */
async function decides(cwd: string, expected: readonly Expected[]): Promise<void> {
  const input = expected.map(([tool, args]) => `${JSON.stringify({ tool, args })}\n`).join("");
  const ran = await bylawHere("check --batch - --json", { cwd, input });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const found = jsonLines(ran).map(({ effect, rule }, at) => [
    ...(expected[at] ?? []).slice(0, 2),
    effect,
    ...(rule === undefined ? [] : [(rule as { name: string }).name]),
  ]);
  expect(found).toEqual(expected);
}

describe.each(FORMATS)("--format %s", (format) => {
  const OWN = [`bylaw.config.${format}`, ".bylaw/policy.toml"];

  test("writes a configuration and a policy that work immediately", async () => {
    const { cwd, run } = workplace({ "README.md": "hello" });
    const ran = await run(["init", "--format", format]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(`wrote .bylaw/policy.toml\nwrote bylaw.config.${format}\n`);
    expect(ran.stdout).toContain("recorded in .bylaw/store.db and .bylaw/logs, which git ignores");
    expect(ran.stdout).toContain(
      "npm install --save-dev @bylaw/cli @bylaw/kernel @bylaw/plugin-event-log @bylaw/plugin-policy @bylaw/ruleset-everyday\n",
    );
    const [first = ""] = readFileSync(join(cwd, ".bylaw/policy.toml"), "utf8").split("\n");
    expect(first).toMatch(/^#:schema /);
    // Where the packages are installed, as they are in this repository, an editor finds the schema.
    expect(existsSync(join(root, ".bylaw", first.slice("#:schema ".length)))).toBe(true);
    await decides(cwd, [
      ["read_file", { path: "README.md" }, "allow", "read-temporary-files"],
      ["read_file", { path: "/opt/README.md" }, "ask_user"],
      ["read_file", { path: ".env" }, "deny", "no-secret-files"],
      ["bash", { command: "npm test && git add src" }, "allow", "git-stage-and-commit"],
      ["bash", { command: "git push -uf origin main" }, "deny", "no-force-push"],
      ...OWN.map((path): Expected => ["write_file", { path }, "ask_user", "ask-governing-files"]),
    ]);
    expect(await run(["lint"])).toMatchObject({ code: 0, stdout: "No findings in 3 files\n" });
  });

  test("--ruleset none writes a policy that decides on its own", async () => {
    const { cwd, run } = workplace();
    const ran = await run(["init", "--format", format, "--ruleset", "none"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    await decides(cwd, [
      ["read_file", { path: "README.md" }, "allow", "read-the-project"],
      ["read_file", { path: ".env" }, "deny", "no-secret-files"],
      ["bash", { command: "git status" }, "allow", "see-the-status"],
      ["Bash", { command: "git push -uf origin main" }, "deny", "no-force-push"],
      ["write_file", { path: "src/x.ts" }, "ask_user"],
      ...OWN.map((path): Expected => [
        "write_file",
        { path },
        "ask_user",
        "people-change-the-rules",
      ]),
    ]);
    expect(await run(["lint"])).toMatchObject({ code: 0, stdout: "No findings in 1 file\n" });
  });

  test("run again, it says that there is nothing to do and writes nothing", async () => {
    const { cwd, run } = workplace();
    await run(["init", "--format", format]);
    const before = tree(cwd);
    for (const again of FORMATS) {
      const ran = await run(["init", "--format", again]);
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

test("an existing policy keeps everything from being written", async () => {
  const { cwd, run } = workplace({ ".bylaw/policy.toml": "# mine\n" });
  expect(await run(["init"])).toMatchObject({ code: 2 });
  expect(tree(cwd)).toEqual({ [join(cwd, ".bylaw/policy.toml")]: "# mine\n" });
});

test("a dangling link is not followed, and what was written is removed again", async () => {
  const { cwd, run } = workplace();
  symlinkSync(join(cwd, "elsewhere.ts"), join(cwd, "bylaw.config.ts"));
  expect((await run(["init"])).stderr).toMatch(/^error BYLAW_INIT_EXISTS/);
  expect(tree(cwd)).toEqual({});
});

test("creates the folder that it is given, and prints JSON for a script", async () => {
  const { cwd, run } = workplace({ "file.txt": "" });
  const ran = await run("init deep/project --format yaml --json");
  expect(ran.code).toBe(0);
  const written = [".bylaw/policy.toml", "bylaw.config.yaml", ".bylaw/.gitignore"].map((file) =>
    join(cwd, "deep/project", file),
  );
  expect(json(ran)).toMatchObject({ written });
  const onFile = await run("init file.txt --json");
  expect(onFile.code).toBe(2);
  expect(json(onFile)).toMatchObject({
    error: { code: "BYLAW_INIT_EXISTS", file: join(cwd, "file.txt") },
  });
});

test("git adds what people write next to the policy, and nothing that Bylaw stores there", async () => {
  const { cwd, run } = workplace();
  await run(["init"]);
  for (const folder of ["logs", "memory", "tmp", "templates"])
    mkdirSync(join(cwd, ".bylaw", folder));
  const kept = readCases<string>(import.meta, "kept");
  // Code can have any name, so git must show every file that is not Bylaw's own.
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

test("an existing .gitignore is left unchanged, and nothing is said about what it names", async () => {
  const { cwd, run } = workplace({ ".bylaw/.gitignore": "mine\n" });
  const { code, stdout } = await run(["init"]);
  expect(code).toBe(0);
  expect(stdout).toContain("recorded in .bylaw/store.db and .bylaw/logs.");
  expect(stdout).not.toMatch(/git ?ignore/);
  expect(readFileSync(join(cwd, ".bylaw/.gitignore"), "utf8")).toBe("mine\n");
});

test.runIf(existsSync("/proc/self"))("reports a folder that the system cannot create", async () => {
  const ran = await workplace().run("init /proc/none/deeper");
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(/^error BYLAW_INIT_FAILED/);
});

describe("the toolchain", () => {
  const manifests = {
    "package.json": JSON.stringify({
      scripts: { test: "x", build: "x", "db:seed": "x", publish: "x", "a {b,c}": "x", "-x": "x" },
    }),
    "pnpm-lock.yaml": "",
    Makefile: "MODE := fast\n.PHONY: build\nbuild: lib\n\techo\ninstall:\n\techo\n$(X): y\n",
    "go.mod": "module x\n",
  };

  test("its tasks are listed with the ruleset's decisions", async () => {
    const { run } = workplace(manifests);
    const made = json(await run("init --yes --json"));
    expect(made).toMatchObject({
      ruleset: "everyday",
      programs: ["pnpm", "make", "go"],
      allowed: [
        ...["pnpm run test", "pnpm run build", "make build"],
        ...["go build ./...", "go test ./...", "go vet ./..."],
      ],
      asked: ["pnpm run db:seed", "make install", "pnpm run publish"],
    });
    for (const command of made["allowed"] as readonly string[])
      expect(
        await run(["check", "--tool", "bash", "--args", JSON.stringify({ command })]),
      ).toMatchObject({ code: 0 });
  });

  test("an unreadable manifest adds no task", async () => {
    const { cwd, run } = workplace({ "package.json": "{", "composer.json": '{"scripts":[1]}' });
    mkdirSync(join(cwd, "Makefile"));
    const made = json(await run("init --json"));
    expect(made).toMatchObject({ programs: ["npm", "composer", "make"], allowed: [], asked: [] });
  });

  test.runIf(process.platform === "linux")(
    "in a terminal it asks three questions and writes what was chosen",
    async () => {
      const { cwd, run } = workplace(manifests);
      const said = await answer(cwd, INIT, [
        ["Which rules do you want", "\r"],
        ["Which may agents run", " \r"],
        ["Write bylaw.config.ts and", "\r"],
      ]);
      expect(said).toContain("wrote .bylaw/policy.toml");
      expect(readFileSync(join(cwd, ".bylaw/policy.toml"), "utf8")).toContain(
        'command = [\n  "pnpm run db:seed *",\n]\n',
      );
      expect(
        await run(["check", "--tool", "bash", "--args", '{"command":"pnpm run db:seed"}']),
      ).toMatchObject({ code: 0 });
    },
  );

  test.runIf(process.platform === "linux")(
    "nothing is written if the person leaves or says no",
    async () => {
      for (const keys of [["\u0003"], ["\r", "\u0003"], ["\r", "\r", "n"]]) {
        const cwd = scratch(manifests);
        const questions = ["Which rules do you want", "Which may agents run", "Write bylaw.config"];
        const said = await answer(
          cwd,
          INIT,
          keys.map((key, at) => [questions[at] ?? "", key] as const),
        );
        expect(said).toContain("Nothing was written");
        expect(existsSync(join(cwd, ".bylaw"))).toBe(false);
      }
    },
  );
});

test("a hook for all projects says that nothing is recorded, and the hook of a project with a record does not", async () => {
  const { cwd, run } = workplace();
  const install = (...args: readonly string[]) =>
    run(["install", "claude-code", "--engine", join(cwd, "run"), ...args], { env: { HOME: cwd } });
  expect((await install()).stdout).toContain(
    "\nNothing is recorded. To keep a record, run `bylaw init` in a project and install with `--project`, or add `@bylaw/plugin-event-log`",
  );
  expect(json(await install("--json"))).toMatchObject({ records: false });
  expect(await run("init")).toMatchObject({ code: 0 });
  const idle = `${join(cwd, "bylaw.config.ts")} does not decide. To let it, install with`;
  expect((await install()).stdout).toContain(`\n${idle} \`--project\`.\n`);
  const pi = await run(["install", "pi"], { env: { HOME: cwd } });
  expect(pi.stdout).toContain(`\n${idle} \`--config\`.\n`);
  const own = await install("--project");
  expect([own.code, own.stdout]).toEqual([
    0,
    expect.not.stringMatching(/Nothing is recorded|does not decide/),
  ]);
  expect(json(await install("--project", "--json"))).toMatchObject({ records: true });
});
