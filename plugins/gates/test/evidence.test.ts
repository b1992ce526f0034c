import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { observeTests, type TestRun } from "@bylaw/evidence";
import {
  bench,
  built,
  GREEN,
  planned,
  RED,
  result,
  TEXT,
  tested,
  tests,
  type Bench,
} from "./kit.ts";

const at = async (phase: string, options = {}): Promise<Bench> => {
  const made = await bench(options);
  await made.goTo(phase);
  return made;
};
const many = (name: string, size: number): readonly string[] =>
  Array.from({ length: size }, (_, number) => `${name} ${number}`);

describe("a failing run", () => {
  it.each(
    readCases<[string, Parameters<Bench["observe"]>[0], Partial<TestRun>]>(import.meta, "not-red"),
  )("does not count: %s (WF-81, WF-87, WF-88)", async (said, came, fields) => {
    const { ask, observe } = await at("TDD");
    await observe(came, fields);
    const { decision, text, blocked } = await ask("IMPL", tested);
    expect(decision.effect).toBe("deny");
    expect(text).toContain("TDD needs red tests: ");
    expect(text).toContain(said);
    expect(blocked.some((line) => /^gate_(blocked|stale) tests_are_failing$/.test(line))).toBe(
      true,
    );
  });

  it("counts if it ran to its end with a failed test, whether or not others passed (WF-81)", async () => {
    for (const came of [RED, { ...RED, passed: ["other"] }]) {
      const { ask, observe } = await at("TDD");
      await observe(came);
      expect((await ask("IMPL", tested)).decision.effect).toBe("allow");
    }
  });

  it("is never an agent's word: a forged artifact changes nothing (defect 2)", async () => {
    const { ask } = await at("TDD");
    const { blocked, text } = await ask("IMPL", tested);
    expect(blocked).toEqual(
      expect.arrayContaining([
        "gate_blocked tests_are_failing",
        "gate_blocked test_run_result.tests_were_run",
        "gate_blocked test_run_result.tests_failed",
      ]),
    );
    expect(text).toContain("No test run is recorded since the task entered the phase");
  });

  it("is stale once somebody writes to the workspace, and fresh once the tests have run again (WF-88)", async () => {
    const { ask, observe, put } = await at("TDD");
    await observe(RED);
    put("tests/b.test.js", "assert.ok(later());\n");
    const { decision, blocked } = await ask("IMPL", tested);
    expect(decision.effect).toBe("deny");
    expect(blocked).toContain("gate_stale tests_are_failing");
    await observe(RED);
    expect((await ask("IMPL", tested)).decision.effect).toBe("allow");
  });
});

describe("a passing run", () => {
  it.each(
    readCases<[string, Parameters<Bench["observe"]>[0], Partial<TestRun>]>(
      import.meta,
      "not-green",
    ),
  )("does not count: %s (WF-82, WF-89)", async (said, came, fields) => {
    const { ask, observe, put } = await at("IMPL");
    put("src/a.js", "export const a = 1;\n");
    await observe(came, fields);
    const { decision, text } = await ask("REVIEW", built);
    expect(decision.effect).toBe("deny");
    expect(text).toContain(said);
    expect(text).toMatch(/All tests must pass: |Skip none: /);
  });

  it("cannot be the run that failed before, or any from before the phase (WF-88)", async () => {
    const { ask, observe, put } = await at("TDD");
    put("src/a.js", "export const a = 1;\n");
    await observe(GREEN);
    await observe(RED);
    await ask("IMPL", tested);
    const { blocked, text } = await ask("REVIEW", built);
    expect(blocked).toContain("gate_blocked all_tests_pass");
    expect(text).toContain("No test run is recorded since the task entered the phase");
  });

  it.each([
    ["have changed: `tests/a.test.js`", "tests/a.test.js", "assert.ok(true);\n"],
    ["change how tests run: `vitest.config.js`", "vitest.config.js", "export default {};\n"],
    ["change how tests run: `tests/conftest.py`", "tests/conftest.py", "x = 1\n"],
  ])(
    "does not count with other tests than those that failed: %s (WF-89)",
    async (said, path, text) => {
      const { ask, observe, put } = await at("IMPL");
      put("src/a.js", "export const a = 1;\n");
      put(path, text);
      await observe(GREEN);
      const answer = await ask("REVIEW", built);
      expect(answer.blocked).toEqual(["gate_blocked all_tests_pass.tests_unchanged"]);
      expect(answer.text).toContain(said);
    },
  );

  it("counts with additional tests", async () => {
    const { ask, observe, put } = await at("IMPL");
    put("src/a.js", "export const a = 1;\n");
    put("tests/more.test.js", "assert.ok(1 + greet());\n");
    await observe({ passed: [...GREEN.passed, "more"] });
    expect((await ask("REVIEW", built)).decision.effect).toBe("allow");
  });

  it("is compared by hashes if there are very many tests", async () => {
    const { ask, observe, put } = await at("TDD");
    const ids = many("test", 4_999);
    await observe({ failed: ids });
    expect((await ask("IMPL", tested)).decision.effect).toBe("allow");
    put("src/a.js", "export const a = 1;\n");
    const { hashTestId } = await import("@bylaw/evidence");
    const hashed = [...ids, "one", "two", "three"].map(hashTestId);
    await observe({ passed: hashed.slice(1) });
    expect((await ask("REVIEW", built)).text).toContain("1 test(s) of the failing run are gone");
    await observe({ passed: hashed });
    expect((await ask("REVIEW", built)).decision.effect).toBe("allow");
  });
});

it("is compared with the failing run by the rule too, if the gate does not require it (WF-89)", async () => {
  const text = TEXT.replace(
    "check: all_tests_pass, severity: blocking",
    "check: all_tests_pass, severity: warning",
  );
  const { ask, observe, put } = await at("IMPL", { text });
  put("src/a.js", "export const a = 1;\n");
  await observe({ passed: ["greets"] });
  expect((await ask("REVIEW", built)).blocked).toEqual([
    "gate_blocked test_run_result.tests_passed.tests_unchanged",
  ]);
});

it("does not count if a task skipped the tests that had to fail (WF-89)", async () => {
  const { ask, observe, put } = await bench({ config: { enforcement_mode: "permissive" } });
  for (const to of ["PLAN", "TDD", "IMPL"]) await ask(to, { ...planned, ...tested });
  put("src/a.js", "export const a = 1;\n");
  await observe(GREEN);
  const { blocked, text } = await ask("REVIEW", built);
  expect(blocked).toContain("gate_blocked all_tests_pass.tests_unchanged");
  expect(text).toContain("No failing run of these tests is recorded");
});

describe("a contract", () => {
  const [head, command] = [
    TEXT.slice(0, TEXT.indexOf("test_command:")),
    TEXT.slice(TEXT.indexOf("test_command:")),
  ];
  it("without a test command says what to add", async () => {
    await expect(at("TDD", { text: head })).rejects.toMatchObject({
      findings: [
        {
          code: "tests_unobservable",
          fix: expect.stringMatching(/test_command:.*evidence: reported/),
        },
      ],
    });
  });

  it("that accepts the agent's report says so in each decision", async () => {
    const { ask } = await at("TDD", { text: `${head}evidence: reported\n` });
    expect(
      (await ask("IMPL", { test_files: tests, test_run_result: { ...result, exit_code: 137 } }))
        .text,
    ).toContain("exit code 137");
    for (const fields of [{ failed: "2" }, { exit_code: null }, { skipped: -1 }])
      expect(
        (await ask("IMPL", { test_files: tests, test_run_result: { ...result, ...fields } })).text,
      ).toContain("as whole numbers");
    const { decision, told } = await ask("IMPL", tested);
    expect(decision.effect).toBe("allow");
    expect(told).toEqual(["gate_reported reported"]);
  });

  it("that accepts reports still prefers an observed run", async () => {
    const { ask, observe } = await at("TDD", { text: `${head}evidence: reported\n${command}` });
    await observe(GREEN);
    expect((await ask("IMPL", tested)).text).toContain(
      "The tests must fail in the RED phase of TDD",
    );
  });
});

it("real tests of a real workspace fail, are weakened, and pass (WF-89)", async () => {
  const argv = `[${JSON.stringify(process.execPath)}, --test, --test-reporter=tap]`;
  const { ask, contract, folder, put, run, goTo } = await bench({
    text: TEXT.replace("[node, --test, --test-reporter=tap]", argv),
  });
  const observe = async (): Promise<TestRun> =>
    (await observeTests(run, contract, { task: "t1", workspace: folder })).evidence;
  const test = (body: string): string =>
    `import assert from "node:assert";\nimport { test } from "node:test";\nimport { greet } from "../src/a.js";\n${body}`;
  const whole = test(
    'test("greets", () => assert.equal(greet("Ann"), "Hello Ann"));\ntest("greets nobody", () => assert.equal(greet(), "Hello you"));\n',
  );
  await goTo("TDD");
  put("package.json", '{ "type": "module" }');
  put("tests/a.test.js", whole);
  await observe();
  expect((await ask("IMPL", tested)).text).toContain("could not be run at all");
  put("src/a.js", "export const greet = () => '';\n");
  expect((await observe()).counts).toMatchObject({ failed: 2, errors: 0 });
  expect((await ask("IMPL", tested)).decision.effect).toBe("allow");

  put("src/a.js", "export const greet = (name) => `Hello ${name}`;\n");
  put(
    "tests/a.test.js",
    test('test("greets", () => assert.ok(greet("Ann")));\ntest.skip("greets nobody", () => {});\n'),
  );
  await observe();
  const weak = await ask("REVIEW", built);
  expect(weak.blocked).toEqual(
    expect.arrayContaining([
      "gate_blocked all_tests_pass.tests_unchanged",
      "gate_blocked no_skipped_tests",
    ]),
  );

  put("tests/a.test.js", whole);
  put("src/a.js", 'export const greet = (name = "you") => `Hello ${name}`;\n');
  expect((await ask("REVIEW", built)).blocked).toContain("gate_stale all_tests_pass");
  await observe();
  expect((await ask("REVIEW", built)).decision.effect).toBe("allow");
});
