import { chmodSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import {
  POLICY,
  bylaw,
  bylawHere,
  json,
  jsonLines,
  makePipe,
  scratch,
  workplace,
  type Ran,
} from "./bylaw.ts";

const RULE = '[[rules]]\nname = "a"\naction = "allow"\ntool = "read_file"\nreason = "a"\n';
const ARGS = ["check", "--tool", "read_file", "--args", "{}"];
const check = (cwd: string, ...more: string[]): Promise<Ran> =>
  bylawHere([...ARGS, ...more], { cwd });

// Prints one error with its place on the error stream, the same as JSON, and never an answer.
async function refused(
  cwd: string,
  more: readonly string[],
  wanted: { code: string; line?: number; text?: RegExp; run?: typeof bylaw },
): Promise<void> {
  const { run = bylawHere } = wanted;
  const ran = await run([...ARGS, ...more], { cwd });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr.match(/^error BYLAW_/gm)).toHaveLength(1);
  expect(ran.stderr).toContain(wanted.code);
  if (wanted.text !== undefined) expect(ran.stderr).toMatch(wanted.text);
  const scripted = await run([...ARGS, ...more, "--json"], { cwd });
  expect(scripted).toMatchObject({ code: 2, stderr: "" });
  const { error } = json(scripted) as { error: { code: string; message: string; line?: number } };
  expect(error.code).toBe(wanted.code);
  expect(error.message).not.toContain("\n");
  if (wanted.line !== undefined) {
    expect(error.line).toBe(wanted.line);
    expect(ran.stderr).toContain(`:${wanted.line}`);
  }
}

describe("a policy file", () => {
  const withPolicy = ["--policy", "p.toml"];

  test("that is missing", async () => {
    await refused(scratch(), withPolicy, { code: "BYLAW_POLICY_MISSING", text: /p\.toml/ });
  });

  test("that is a directory", async () => {
    await refused(scratch({ "p.toml/x": "" }), withPolicy, {
      code: "BYLAW_POLICY_UNREADABLE",
      text: /folder/,
    });
  });

  test.skipIf(process.platform === "win32")("that is a pipe without a writer", async () => {
    const cwd = scratch();
    makePipe(join(cwd, "p.toml"));
    await refused(cwd, withPolicy, { code: "BYLAW_POLICY_UNREADABLE", text: /pipe/ });
  });

  test("that is named as a URL", async () => {
    const cwd = scratch({ "p.toml": POLICY });
    for (const name of [
      `file://${join(cwd, "p.toml")}`,
      "file:p.toml",
      "https://example.com/p.toml",
    ]) {
      await refused(cwd, ["--policy", name], {
        code: "BYLAW_USAGE_INVALID",
        text: /takes a path, not the URL `.*`/,
      });
    }
  });

  test("with two byte order marks", async () => {
    await refused(scratch({ "p.toml": `\ufeff\ufeff${POLICY}` }), withPolicy, {
      code: "BYLAW_POLICY_UNREADABLE",
      text: /second byte order mark/,
    });
  });

  test.each([
    ["missing", {}],
    ["a folder", { "p.toml/x": "" }],
    ["wrong", { "p.toml": RULE.replace('"allow"', '"alow"') }],
  ])("that is %s is reported once, with its place", async (_, files) => {
    const { stderr } = await check(scratch(files as Record<string, string>), ...withPolicy);
    expect(stderr.match(/p\.toml/g)).toHaveLength(1);
  });

  test.each([
    ["with a byte order mark", `\ufeff${POLICY}`],
    ["with CRLF", POLICY.replaceAll("\n", "\r\n")],
  ])("%s decides as if they were not there", async (_, text) => {
    const ran = await check(scratch({ "p.toml": text }), ...withPolicy, "--json");
    expect(json(ran)).toMatchObject({ effect: "allow", rule: { name: "read", line: 3 } });
  });

  test("in invalid UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${RULE}# `),
      Buffer.from([0xff, 0xfe]),
      Buffer.from("\n"),
    ]);
    await refused(scratch({ "p.toml": bytes }), withPolicy, {
      code: "BYLAW_POLICY_UNREADABLE",
      text: /UTF-8/,
    });
  });

  test.each(readCases<[string, string, number]>(import.meta, "wrong-files"))(
    "with %s is refused at its line",
    async (_, text, line) => {
      await refused(scratch({ "p.toml": text }), withPolicy, {
        code: "BYLAW_POLICY_INVALID",
        line,
      });
    },
  );

  test("with several errors prints each with its place", async () => {
    const text = `${RULE.replace('"allow"', '"alow"')}\n${RULE.replace('"a"', '"b"')}acton = "deny"\n`;
    const cwd = scratch({ "p.toml": text });
    const { stderr } = await check(cwd, ...withPolicy);
    expect(stderr).toMatch(/^ {2}p\.toml:3:\d+ error BYLAW_\w+: .*allow/m);
    expect(stderr).toMatch(/^ {2}p\.toml:12:\d+ error BYLAW_\w+: .*acton/m);
    const { findings } = json(await check(cwd, ...withPolicy, "--json"));
    expect(findings).toMatchObject([
      { line: 3, severity: "error" },
      { line: 12, severity: "error" },
    ]);
  });

  test("of 10 MB is refused or decides", async () => {
    const text = RULE + `# ${"x".repeat(98)}\n`.repeat(100_000);
    const ran = await check(scratch({ "p.toml": text }), ...withPolicy);
    expect([0, 2]).toContain(ran.code);
    expect(ran.code === 0 ? ran.stdout : ran.stderr).toMatch(
      ran.code === 0 ? /^allow / : /^error BYLAW_POLICY_INVALID/,
    );
  });

  test("one bad file of two lets nothing of the other pass", async () => {
    const { cwd, run } = workplace({ "p.toml": RULE, "q.toml": "rules = 5" });
    await refused(cwd, ["--policy", "p.toml", "q.toml"], { code: "BYLAW_POLICY_INVALID" });
    const ran = await run("check --batch - --json --policy p.toml q.toml", {
      input: '{"tool":"read_file","args":{}}\n',
    });
    expect(ran.code).toBe(2);
    expect(json(ran)).toMatchObject({ error: { code: "BYLAW_POLICY_INVALID" } });
  });

  test("with a regular expression prone to catastrophic backtracking decides, and takes the text literally", async () => {
    const text = `${RULE}args = { path = { regex = "(a+)+$" } }\n`;
    const { run } = workplace({ "p.toml": text });
    const input = `${JSON.stringify({ tool: "read_file", args: { path: `${"a".repeat(100_000)}!` } })}\n`;
    const ran = await run(["check", "--batch", "-", "--json", ...withPolicy], { input });
    expect(jsonLines(ran)).toMatchObject([{ effect: "ask_user", code: "fallback" }]);
  });
});

describe("a configuration", () => {
  const ok = JSON.stringify({ plugins: [], fallback: "allow" });

  test.each([
    ["missing", {}, "BYLAW_CONFIG_MISSING"],
    ["a directory", { "bylaw.config.json/x": "" }, "BYLAW_CONFIG_INVALID"],
    ["empty", { "bylaw.config.json": "" }, "BYLAW_CONFIG_INVALID"],
    [
      "invalid UTF-8",
      { "bylaw.config.json": Uint8Array.from([0x7b, 0xff, 0x7d]) },
      "BYLAW_CONFIG_INVALID",
    ],
    [
      "a duplicate key",
      { "bylaw.config.json": '{"fallback":"deny","fallback":"allow"}' },
      "BYLAW_JSON_INVALID",
    ],
    [
      "__proto__",
      { "bylaw.config.json": '{"__proto__":{"fallback":"allow"}}' },
      "BYLAW_JSON_INVALID",
    ],
    [
      "deep nesting",
      { "bylaw.config.json": `{"plugins":${"[".repeat(100_000)}` },
      "BYLAW_JSON_INVALID",
    ],
  ])("that is %s", async (_, files, code) => {
    await refused(scratch(files as Record<string, string>), ["--config", "bylaw.config.json"], {
      code,
    });
  });

  test.skipIf(process.platform === "win32").each(["bylaw.config.json", "bylaw.config.mjs"])(
    "%s that is a pipe, named or discovered",
    async (name) => {
      const cwd = scratch();
      makePipe(join(cwd, name));
      await refused(cwd, [], { code: "BYLAW_CONFIG_INVALID", text: /pipe/ });
      await refused(cwd, ["--config", name], { code: "BYLAW_CONFIG_INVALID", text: /pipe/ });
    },
  );

  test.each([
    ["bylaw.config.json", ok],
    ["bylaw.config.yaml", "fallback: allow\n"],
    ["bylaw.config.toml", 'fallback = "allow"\n'],
    ["bylaw.config.mjs", "export default { fallback: 'allow' };"],
  ])("%s with two byte order marks", async (name, text) => {
    await refused(scratch({ [name]: `\ufeff\ufeff${text}` }), [], {
      code: "BYLAW_CONFIG_INVALID",
      text: /second byte order mark/,
    });
  });

  test("in two files of one folder", async () => {
    const cwd = scratch({ "bylaw.config.json": ok, "bylaw.config.yaml": "fallback: allow" });
    await refused(cwd, [], {
      code: "BYLAW_CONFIG_INVALID",
      text: /bylaw\.config\.json.*bylaw\.config\.yaml/,
    });
  });

  test("that throws, with its line", async () => {
    const cwd = scratch({ "bylaw.config.ts": '\nthrow new Error("boom");\n' });
    await refused(cwd, [], { code: "BYLAW_CONFIG_UNLOADABLE", line: 2, text: /boom/ });
  });

  test("that throws later, in a timer, allows nothing", async () => {
    const stray =
      'setTimeout(() => { throw new Error("later"); });\nexport default await new Promise((done) => setTimeout(done, 50, { fallback: "allow" }));';
    await refused(scratch({ "bylaw.config.mjs": stray }), [], {
      code: "BYLAW_COMMAND_FAILED",
      text: /later/,
      // What throws in a timer ends the whole process.
      run: bylaw,
    });
  });

  test("whose plugin breaks denies", async () => {
    const cwd = scratch({
      "bylaw.config.ts": `
import { definePlugin, defineConfig } from "@bylaw/kernel";
import { z } from "zod";
const broken = definePlugin({ name: "broken", version: "1.0.0", options: z.undefined(), apply({ hooks }) {
  hooks.beforeToolCall.tap("t", () => { throw new Error("at work (x:1)\\n    at here"); });
} });
export default defineConfig({ plugins: [broken()], fallback: "allow" });`,
    });
    const ran = await check(cwd, "--json", "--explain");
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({ effect: "deny", code: "check_failed" });
    expect((await check(cwd, "--explain")).stdout).toContain("broken/t");
  });

  test.runIf(process.getuid?.() !== 0)("that cannot be read", async () => {
    const cwd = scratch({ "bylaw.config.json": ok });
    chmodSync(join(cwd, "bylaw.config.json"), 0);
    await refused(cwd, [], { code: "BYLAW_CONFIG_INVALID" });
  });
});

describe("arguments", () => {
  test.each([
    ["a duplicate key", '{"path":"a","path":"b"}', /key `path` appears twice.*column 13/],
    ["an escaped duplicate key", '{"path":"a","\\u0070ath":"b"}', /key `path` appears twice/],
    ["__proto__", '{"__proto__":{"a":1}}', /`__proto__`.*column 2/],
    ["a number that no double holds", '{"n":9007199254740993}', /9007199254740993/],
    ["nesting of 20,000 levels", "[".repeat(20_000), /levels deep/],
    ["a lone surrogate", '{"a":"\\ud800"}', /surrogate/],
    ["no JSON", "path=x", /where a JSON value belongs.*--args/],
    ["nothing", "", /where a JSON value belongs/],
    ["a text", '"x"', /args/],
    ["two values", "{} {}", /where the end of the text belongs/],
  ])("with %s", async (_, args, text) => {
    const { run } = workplace({ "p.toml": POLICY });
    const ran = await run(["check", "--tool", "read_file", "--args", args, "--policy", "p.toml"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^error BYLAW_(JSON|SUBJECT)_INVALID: /);
    expect(ran.stderr).toMatch(text);
  });

  test.each(["", "a\nb", "x".repeat(300)])("a tool named %j", async (tool) => {
    const { run } = workplace({ "p.toml": POLICY });
    const ran = await run(["check", "--tool", tool, "--policy", "p.toml"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error BYLAW_SUBJECT_INVALID: `tool` must have 1 to 256 characters/,
    );
  });
});
