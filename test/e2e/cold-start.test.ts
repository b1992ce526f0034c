import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { compiledPolicy } from "@bylaw/policy-language";
import { expect, test } from "vitest";
import { BIN, POLICY, bylaw, scratch } from "./bylaw.ts";

/** The names of the files and scripts that a call loads as code. */
function filesReadBy(args: readonly string[], files: Readonly<Record<string, string>>): string[] {
  const { loaded, stdout } = run(["check", ...args, "--json"], files);
  expect(JSON.parse(stdout)).toMatchObject({ effect: "allow" });
  return loaded;
}

/** Runs a command and lists the files that it loads as code, and the modules of Node. */
function run(args: readonly string[], files: Readonly<Record<string, string>>, input = "") {
  const named = Object.keys(files).some((name) => name.startsWith("bylaw.config."));
  const cwd = scratch(named ? files : { "bylaw.config.json": CONFIG, ...files });
  const list = join(cwd, "list");
  const preload = `import { registerHooks } from "node:module";
    import fs from "node:fs";
    const { appendFileSync, readFileSync } = fs;
    const note = (url) => appendFileSync(${JSON.stringify(list)}, url + "\\n");
    registerHooks({ load(url, context, next) {
      if (url.startsWith("file:")) note(url);
      return next(url, context);
    } });
    fs.readFileSync = (file, options) => {
      if (String(file).endsWith(".script")) note(file);
      return readFileSync(file, options);
    };
    process.on("exit", () =>
      appendFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  const { code, stdout, stderr } = bylaw(args, { cwd, node, input });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const lines = readFileSync(list, "utf8").split("\n");
  return {
    stdout,
    loaded: lines.filter((line) => line.startsWith("file:")).map((url) => basename(url)),
    builtIn: lines.flatMap((line) => /^NativeModule (.*)/.exec(line)?.[1] ?? []),
  };
}

const CONFIG = '{ "extends": ["@bylaw/ruleset-recommended"] }';
const ONE = [basename(BIN), "load-script.js", "check.script", "rolldown-runtime.script"];
const line = (command: string): readonly string[] => [
  ...["--tool", "bash", "--args", JSON.stringify({ command })],
];

test.each(["recommended", "everyday"])(
  "a call with the %s ruleset loads one file of the command",
  (name) => {
    const config = CONFIG.replace("recommended", name);
    const file = ["--tool", "read_file", "--args", '{"path":"README.md"}'];
    expect(filesReadBy(file, { "bylaw.config.json": config })).toEqual(ONE);
  },
);

test("a call loads no cryptography and no stream for its output, which take longer than deciding", () => {
  const { builtIn } = run(["check", ...line("git status"), "--json"], {});
  expect(builtIn).toContain("fs");
  expect(builtIn).not.toContain("crypto");
  expect(builtIn).not.toContain("net");
});

test("the compiled code of what ran is kept, and not run if it is damaged", () => {
  const cwd = scratch({ "bylaw.config.json": CONFIG });
  const code = scratch({});
  const env = { NODE_COMPILE_CACHE: code };
  const decide = (): string =>
    bylaw(["check", ...line("git status"), "--json"], { cwd, env }).stdout;
  const kept = (): readonly string[] =>
    globSync(`${code}/*/check-*`).filter((file) => statSync(file).isFile());
  const first = decide();
  const [file = ""] = kept();
  const whole = readFileSync(file);
  expect(decide()).toBe(first);
  expect(readFileSync(file).equals(whole)).toBe(true);
  // Another command loads more scripts, and keeps their code beside it.
  bylaw(["log", "verify", "bylaw.config.json"], { cwd, env });
  expect(globSync(`${code}/*/log-verify-*`)).toHaveLength(1);
  // A hook loads the same scripts as a check, and needs other functions of them.
  bylaw(["hook", "claude-code", "--config", "bylaw.config.json"], { cwd, env });
  expect(globSync(`${code}/*/hook-check-*`)).toHaveLength(1);

  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(whole.length >> 2) ^ 0x55, whole.length >> 2);
  for (const content of [damaged, whole.subarray(0, -2), Buffer.alloc(0)]) {
    writeFileSync(file, content);
    expect(decide()).toBe(first);
    expect(readFileSync(file).equals(content)).toBe(false);
  }
  expect(kept()).toEqual([file]);
});

test("an installation that is incomplete answers with 2, which blocks a call", () => {
  const cwd = scratch({ "package.json": '{ "type": "module" }', "dist/x": "" });
  for (const file of ["bin.js", "load-script.js"])
    copyFileSync(join(dirname(BIN), file), join(cwd, "dist", file));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["dist/bin.js", "hook", "claude-code", "--config", "x.json"],
    { cwd, input: "{}", encoding: "utf8" },
  );
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error BYLAW_COMMAND_FAILED: .*check\.script/);
});

test("the hook of a coding agent loads no other file", () => {
  const event = { hook_event_name: "PreToolUse", session_id: "s", cwd: "/w", tool_use_id: "t" };
  const call = { ...event, tool_name: "Bash", tool_input: { command: "git push --force" } };
  const args = ["hook", "claude-code", "--config", "bylaw.config.json"];
  const { loaded, builtIn, stdout } = run(args, {}, JSON.stringify(call));
  expect(stdout).toContain('"deny"');
  expect(loaded).toEqual([...ONE, "git.script"]);
  expect(builtIn).not.toContain("crypto");
});

test("the table of a program is loaded for a line with the program", () => {
  expect(filesReadBy(line("git status"), {})).toEqual([...ONE, "git.script"]);
});

test("the parser of shell scripts is loaded for a line that needs it", () => {
  const files = filesReadBy(line("git status && git log"), {});
  expect(files).toEqual(
    expect.arrayContaining([...ONE, "git.script", "analyze-script.script", "unbash.script"]),
  );
  expect(files).not.toContain("clouds.script");
});

test.each([
  ["recommended", "git status"],
  ["everyday", "git switch main"],
])(
  "the policy of the %s ruleset is read from its compiled form, by its name too",
  (name, command) => {
    const policy = createRequire(BIN).resolve(`@bylaw/ruleset-${name}/package.json`);
    const args = [...line(command), "--policy", join(dirname(policy), "policy.toml")];
    const files = filesReadBy(args, {});
    expect(files).toEqual(expect.arrayContaining([...ONE, "git.script"]));
    expect(files).not.toContain("parse-text.script");
  },
);

test("a compiled form next to another policy is ignored, so that nobody decides by writing one", () => {
  const form = compiledPolicy(POLICY);
  const rules = form?.rules.map((rule) => ({ ...rule, effect: "allow" }));
  const cwd = scratch({
    "policy.toml": POLICY,
    "dist/policy.compiled.json": JSON.stringify({ ...form, rules }),
  });
  const { code } = bylaw("check --tool drop_table --policy policy.toml", { cwd });
  expect(code).toBe(1);
});

test("the policy parser is loaded for a policy without a compiled form", () => {
  const args = ["--tool", "read_file", "--policy", "policy.toml"];
  const files = filesReadBy(args, { "policy.toml": POLICY });
  expect(files.slice(0, 5)).toEqual([...ONE, "parse-text.script"]);
  expect(files).not.toContain("analyze-script.script");
});

test("a configuration in TypeScript is read by Node, without a compiler", () => {
  const config = `import { defineConfig } from "@bylaw/kernel";
    import { everyday } from "@bylaw/ruleset-everyday";
    import { fallback } from "./fallback.ts";
    export default defineConfig({ extends: [everyday], fallback: fallback as "deny" });`;
  const files = filesReadBy(line("git status"), {
    "package.json": '{ "name": "x" }',
    "bylaw.config.ts": config,
    "fallback.ts": 'export const fallback: string = "deny";',
  });
  expect(files).toContain("fallback.ts");
  expect(files).not.toContain("babel.cjs");
});

test("a compiler reads what Node cannot", () => {
  const config = `import { everyday } from "@bylaw/ruleset-everyday";
    enum Fallback { No = "deny" }
    export default { extends: [everyday], plugins: [], fallback: Fallback.No };`;
  const files = filesReadBy(line("git status"), { "bylaw.config.ts": config });
  expect(files).toContain("babel.cjs");
});

test("the configuration schema is loaded for a configuration that is not plainly valid", () => {
  const deadline = CONFIG.replace("}", ', "deadline_ms": 50 }');
  const files = filesReadBy(line("git status"), { "bylaw.config.json": deadline });
  expect(files).toContain("config-schema.script");
  expect(files).not.toContain("parse-yaml.script");
});
