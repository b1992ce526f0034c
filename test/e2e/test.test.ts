import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { POLICY, bylawHere, json, scratch, workplace, type Ran } from "./bylaw.ts";

type Line = Readonly<Record<string, unknown>>;
const lines = (...cases: readonly Line[]): string =>
  cases.map((one) => `${JSON.stringify(one)}\n`).join("");

const CASES = readCases<Line>(import.meta, "cases");

const project = (cases: string | readonly Line[] = CASES, policy = POLICY): string =>
  scratch({ "p.toml": policy, "c.jsonl": typeof cases === "string" ? cases : lines(...cases) });
const run = (cwd: string, ...more: string[]): Promise<Ran> =>
  bylawHere(["test", "p.toml", "c.jsonl", ...more], { cwd });

describe("bylaw test", () => {
  test("passes if every case holds", async () => {
    const ran = await run(project());
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toBe("3 cases: 3 passed\n0 inline cases: none\n");
  });

  test("shows what a failing case expects, the result, what decided, and its place", async () => {
    const cwd = project([
      ...CASES,
      {
        id: "wrong",
        tool: "drop_all",
        args: { now: true },
        must: "allow",
        rule: "read",
        why: "a mistake",
      },
    ]);
    const ran = await run(cwd);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe(`fail wrong c.jsonl:4
  Got \`deny\` instead of \`allow\`; rule \`no-drop\` instead of \`read\`
  call: drop_all {"now":true}
  decided by: no-drop (p.toml:9): Unexpected drop, expected a migration
  why: a mistake
4 cases: 3 passed, 1 failed
0 inline cases: none
`);
    expect(json(await run(cwd, "--json"))).toMatchObject({
      cases: 4,
      passed: 3,
      failed: 1,
      failures: [
        {
          id: "wrong",
          file: "c.jsonl",
          line: 4,
          expected: { must: "allow", rule: "read" },
          actual: { effect: "deny", code: "rule_denied" },
        },
      ],
    });
  });

  test("reports a soft case that fails, and still passes", async () => {
    const ran = await run(
      project([...CASES, { id: "wish", tool: "x", args: {}, must: "deny", soft: true }]),
    );
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("soft wish c.jsonl:4");
    expect(ran.stdout).toContain("4 cases: 3 passed (1 soft case failed)");
  });

  test("fails a decision that takes longer than its case allows", async () => {
    const ran = await run(project([{ ...CASES[0], max_ms: 0.000_001 }]));
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/The decision took [\d.]+ ms; the case allows 0\.000001 ms/);
  });

  test("leaves out the cases of other policies", async () => {
    const ran = await run(
      project([
        ...CASES,
        { tool: "x", args: {}, must: "allow", policy: "other" },
        { tool: "x", args: {}, must: "ask_user", policy: "p" },
      ]),
    );
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("4 cases: 4 passed (1 about other policies left out)");
  });

  test("runs the inline cases, and needs no others", async () => {
    const { run } = workplace({ "p.toml": `${POLICY}match = "send_mail"\nnot_match = "send"\n` });
    const ran = await run("test p.toml");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(`held ask-mail matches send_mail p.toml:21
held ask-mail does not match send p.toml:22
0 cases: 0 passed
2 inline cases: held when the policy was loaded
`);
  });

  test("does not load a policy with a wrong inline case", async () => {
    const ran = await workplace({ "p.toml": `${POLICY}match = "mail"\n` }).run("test p.toml");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/BYLAW_POLICY_INVALID.*does not match `mail`/);
  });

  test("takes an unreadable call as a refused one if the case says so", async () => {
    const raw = { id: "raw", tool: "read_file", args_raw: '{"path":"a","path":"b"}', must: "deny" };
    const twice =
      '{"id":"twice","tool":"read_file","args":{"path":"a","path":"b"},"must":"deny","code":"invalid_call"}\n';
    expect(await run(project(lines(raw) + twice))).toMatchObject({ code: 0 });
    const slip = await run(project(twice.replace(',"code":"invalid_call"', "")));
    expect(slip.code).toBe(2);
    expect(slip.stderr).toMatch(/key `path` appears twice[^]*c\.jsonl:1[^]*"code": "invalid_call"/);
  });

  test("asks everything that a configuration puts in force, not only the policy", async () => {
    const config = `import { defineCheck, defineConfig, deny } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { z } from "zod";
const never = defineCheck({ name: "never", hook: "beforeToolCall", args: z.object({}), check: () => deny("never") });
export default defineConfig({ plugins: [policy({ files: ["p.toml"] }), never] });`;
    const files = { "p.toml": POLICY, "bylaw.config.ts": config, "c.jsonl": lines(CASES[0] ?? {}) };
    expect((await workplace(files).run("test c.jsonl")).code).toBe(1);
    expect((await workplace(files).run("test c.jsonl p.toml")).code).toBe(0);
  });

  test("reads cases from the standard input", async () => {
    const ran = await bylawHere("test p.toml --cases -", {
      cwd: project(),
      input: lines(...CASES),
    });
    expect(ran).toMatchObject({ code: 0 });
  });
});

describe("bylaw test --coverage", () => {
  test("names rules that never matched, and alternatives and parts without a case", async () => {
    const policy = POLICY.replace('tool = "read_file"', 'tool = "read_file|view_file"');
    const ran = await run(project([...CASES.slice(0, 2)], policy), "--coverage");
    expect(ran.code).toBe(0);
    expect(ran.stdout)
      .toContain(`coverage: 2 of 3 rules decided a case, 1 of 2 alternatives held, 3 of 3 parts kept a case out
rules that never matched:
  ask-mail p.toml:16
rules with more than the cases ask:
  read p.toml:3
    \`tool\` never matched by \`view_file\`
`);
  });

  test("is complete in JSON", async () => {
    const { coverage } = json(await run(project(), "--coverage", "--json")) as {
      coverage: { rules: readonly unknown[] };
    };
    expect(coverage.rules).toMatchObject([
      { name: "read", decided: 1 },
      { name: "no-drop", decided: 1 },
      { name: "ask-mail", decided: 1 },
    ]);
  });
});

describe("bylaw test --mutate", () => {
  test("lists the changes that no case notices, and fails", async () => {
    const ran = await run(project(), "--mutate");
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).toContain("mutation: 9 mutants, 7 noticed, 2 survived\n");
    expect(ran.stdout).toContain(
      "  ask-mail p.toml:16\n    looser: the rule is dropped\n  read p.toml:3\n    looser: `tool` is dropped\n",
    );
  });

  test("passes if the cases notice every change", async () => {
    const more = [
      { id: "mail-rule", tool: "send_mail", args: {}, must: "ask_user", rule: "ask-mail" },
      { id: "other", tool: "other", args: {}, must: "ask_user", code: "fallback" },
    ];
    const ran = await run(project([...CASES, ...more]), "--mutate");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("mutation: 9 mutants, all noticed");
  });

  test("keeps the fallback, the mode and the other plugins of a configuration", async () => {
    const config =
      '{"plugins":[{"use":"@bylaw/plugin-policy","options":{"files":["p.toml"]}}],"fallback":"deny"}';
    const cases = lines(
      { tool: "read_file", args: {}, must: "allow" },
      { tool: "x", args: {}, must: "deny", code: "fallback" },
    );
    const policy = '[[rules]]\nname = "read"\naction = "allow"\ntool = "read_file"\n';
    const ran = await workplace({
      "p.toml": policy,
      "bylaw.config.json": config,
      "c.jsonl": cases,
    }).run("test c.jsonl --mutate");
    expect(ran.stdout).toContain("all noticed");
    expect(ran.code).toBe(0);
  });

  test("uses the passing cases if some fail, says so, and fails", async () => {
    const more = [
      { id: "mail-rule", tool: "send_mail", args: {}, must: "ask_user", rule: "ask-mail" },
      { id: "other", tool: "other", args: {}, must: "ask_user", code: "fallback" },
      { id: "wrong", tool: "x", args: {}, must: "allow" },
    ];
    const ran = await run(project([...CASES, ...more]), "--mutate");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("6 cases: 5 passed, 1 failed\n");
    expect(ran.stdout).toContain(
      "mutation: 9 mutants, all noticed\n  told by the 5 cases that pass\n",
    );
  });

  test("shows the riskiest changes of a rule, and the number of the others", async () => {
    const policy = '[[rules]]\nname = "many"\naction = "deny"\ntool = "a|b|c|d|e|f"\n';
    const ran = await run(project([{ tool: "x", args: {}, must: "ask_user" }], policy), "--mutate");
    expect(ran.stdout).toContain(
      "  many p.toml:1\n    looser: the rule is dropped\n    looser: `action` is `ask_user`, not `deny`\n",
    );
    expect(ran.stdout).toMatch(
      /\n {4}looser: `tool` without `c`\n {4}and 3 more; --json has all\n/,
    );
    const { mutation } = json(
      await run(project([{ tool: "x", args: {}, must: "ask_user" }], policy), "--mutate", "--json"),
    ) as { mutation: { survivors: readonly { loosens: boolean }[] } };
    expect(mutation.survivors).toHaveLength(8);
    expect(mutation.survivors[0]).toMatchObject({ kind: "drop", loosens: true });
  });
});

test("a file that is named twice is read once", async () => {
  const cwd = project();
  const ran = await bylawHere("test p.toml ./p.toml c.jsonl --cases ./c.jsonl --policy p.toml", {
    cwd,
  });
  expect(ran).toMatchObject({
    code: 0,
    stdout: "3 cases: 3 passed\n0 inline cases: none\n",
    stderr: "",
  });
});

test("a missing policy gives the advice for the command line", async () => {
  const ran = await bylawHere("test --policy q.toml --cases c.jsonl", { cwd: project() });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(
    /^error BYLAW_POLICY_MISSING: [^]*fix: Create the file, or name another on the command line\n/,
  );
  const config = '{"plugins":[{"use":"@bylaw/plugin-policy","options":{"files":["q.toml"]}}]}';
  const configured = await workplace({
    "bylaw.config.json": config,
    "c.jsonl": lines(...CASES),
  }).run("test c.jsonl");
  expect(configured.stderr).toMatch(/^error BYLAW_POLICY_MISSING: [^]*option `files`/);
});

describe("a case file", () => {
  const refused = async (
    cwd: string,
    text: RegExp,
    line?: number,
    code = "BYLAW_CASES_INVALID",
  ): Promise<void> => {
    const ran = await run(cwd);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(code);
    expect(ran.stderr).toMatch(text);
    const { error } = json(await run(cwd, "--json")) as { error: { code: string; line?: number } };
    expect(error).toMatchObject(line === undefined ? { code } : { code, line });
  };
  const [first = {}] = CASES;

  test.each(readCases<[string, string, string]>(import.meta, "wrong-lines"))(
    "with a line %s is refused at it",
    async (_, text, wanted) => {
      const cwd = project(`${lines(first)}${text}\n`);
      await refused(cwd, new RegExp(wanted), 2);
    },
  );

  test("that is missing, a directory, or not UTF-8", async () => {
    await refused(scratch({ "p.toml": POLICY }), /File not found/);
    await refused(scratch({ "p.toml": POLICY, "c.jsonl/x": "" }), /directory/);
    await refused(
      scratch({ "p.toml": POLICY, "c.jsonl": Uint8Array.from([0x7b, 0xff]) }),
      /UTF-8/,
      1,
    );
  });

  test("with another extension is named with an option", async () => {
    const { run } = workplace({ "p.toml": POLICY, "cases.txt": lines(...CASES) });
    const ran = await run("test p.toml cases.txt");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/BYLAW_USAGE_INVALID.*`cases\.txt`[^]*--cases/);
    expect((await run("test p.toml --cases cases.txt")).code).toBe(0);
  });

  test("that is empty counts as no test", async () => {
    const ran = await run(project("\n"));
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("There are no cases to test");
  });
});
