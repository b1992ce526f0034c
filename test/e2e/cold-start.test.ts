import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { compiledPolicy } from "@bylaw/policy-language";
import { expect, test } from "vitest";
import { BIN, POLICY, bylaw, scratch } from "./bylaw.ts";

/** The names of the files that a call loads as code. */
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
    import { appendFileSync } from "node:fs";
    registerHooks({ load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    } });
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
const ONE = [basename(BIN), "check.js", "rolldown-runtime.js"];
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

test("the hook of a coding agent loads one file more", () => {
  const event = { hook_event_name: "PreToolUse", session_id: "s", cwd: "/w", tool_use_id: "t" };
  const call = { ...event, tool_name: "Bash", tool_input: { command: "git push --force" } };
  const args = ["hook", "claude-code", "--config", "bylaw.config.json"];
  const { loaded, builtIn, stdout } = run(args, {}, JSON.stringify(call));
  expect(stdout).toContain('"deny"');
  expect(loaded).toEqual([...ONE, "hook.js", "git.js"]);
  expect(builtIn).not.toContain("crypto");
});

test("the table of a program is loaded for a line with the program", () => {
  expect(filesReadBy(line("git status"), {})).toEqual([...ONE, "git.js"]);
});

test("the parser of shell scripts is loaded for a line that needs it", () => {
  const files = filesReadBy(line("git status && git log"), {});
  expect(files).toEqual(
    expect.arrayContaining([...ONE, "git.js", "analyze-script.js", "unbash.js"]),
  );
  expect(files).not.toContain("clouds.js");
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
    expect(files).toEqual(expect.arrayContaining([...ONE, "git.js"]));
    expect(files).not.toContain("parse-text.js");
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
  expect(files.slice(0, 4)).toEqual([...ONE, "parse-text.js"]);
  expect(files).not.toContain("analyze-script.js");
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
  expect(files).toContain("config-schema.js");
  expect(files).not.toContain("parse-yaml.js");
});
