import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { compiledPolicy } from "@bylaw/policy-language";
import { expect, test } from "vitest";
import { BIN, POLICY, bylaw, scratch } from "./bylaw.ts";

/** The names of the files that a call loads as code. */
function filesReadBy(args: readonly string[], files: Readonly<Record<string, string>>): string[] {
  const cwd = scratch({ "bylaw.config.json": CONFIG, ...files });
  const list = join(cwd, "list");
  const preload = `import { registerHooks } from "node:module";
    import { appendFileSync } from "node:fs";
    registerHooks({ load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    } });`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  const { code, stdout } = bylaw(["check", ...args, "--json"], { cwd, node });
  expect(JSON.parse(stdout)).toMatchObject({ effect: "allow" });
  expect(code).toBe(0);
  return readFileSync(list, "utf8")
    .trim()
    .split("\n")
    .map((url) => basename(url));
}

const CONFIG = '{ "extends": ["@bylaw/ruleset-recommended"] }';
const ONE = [basename(BIN), "check.js", "rolldown-runtime.js"];
const GIT = ["git.js", "files.js", "written-files.js"];
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

test("the table of a program is loaded for a line with the program", () => {
  expect(filesReadBy(line("git status"), {})).toEqual([...ONE, ...GIT]);
});

test("the parser of shell scripts is loaded for a line that needs it", () => {
  const files = filesReadBy(line("git status && git log"), {});
  expect(files).toEqual(expect.arrayContaining([...ONE, ...GIT, "analyze-script.js", "unbash.js"]));
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
    expect(files).toEqual(expect.arrayContaining([...ONE, ...GIT]));
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

test("the configuration schema is loaded for a configuration that is not plainly valid", () => {
  const deadline = CONFIG.replace("}", ', "deadline_ms": 50 }');
  const files = filesReadBy(line("git status"), { "bylaw.config.json": deadline });
  expect(files).toContain("config-schema.js");
  expect(files).not.toContain("parse-yaml.js");
});
