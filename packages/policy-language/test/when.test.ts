import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { PolicyError, compilePolicy, withoutRules, parsePolicy } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { policyOf, toml, type RuleData } from "./toml.ts";

type Leaf = readonly [operator: string, value: unknown];
const poolOf = (...rules: readonly RuleData[]) =>
  compilePolicy([policyOf(rules.map((rule, at) => ({ name: `r${at}`, ...rule })))]);
const amount = (operator: string, value: unknown): RuleData =>
  ({ fact: "args", path: "$.a", operator, value }) as RuleData;
const fact = (name: string, operator: string, value: unknown): RuleData =>
  ({ fact: name, operator, value }) as RuleData;
const effectOf = async (pool: ReturnType<typeof poolOf>, one: ToolCall): Promise<string> => {
  const votes = await pool.evaluateConditional(one);
  expect(await pool.evaluateConditionalByScan(one)).toEqual(votes);
  return votes?.find(({ shadow }) => shadow !== true)?.effect ?? "abstain";
};
const holds = async (action: string, when: RuleData, one: ToolCall): Promise<boolean> =>
  (await effectOf(poolOf({ action, tool: "t", when }), one)) === action;

describe("each operator", () => {
  const table: readonly (readonly [...Leaf, yes: readonly unknown[], no: readonly unknown[]])[] =
    readCases<[...Leaf, yes: unknown[], no: unknown[]]>(import.meta, "operators");
  test.each(table)("%s %j", async (operator, value, yes, no) => {
    for (const action of ["allow", "deny", "ask_user"]) {
      for (const a of yes)
        expect([
          action,
          a,
          await holds(action, { all: [amount(operator, value)] }, call("t", { a } as never)),
        ]).toEqual([action, a, true]);
      for (const a of no)
        expect([
          action,
          a,
          await holds(action, { all: [amount(operator, value)] }, call("t", { a } as never)),
        ]).toEqual([action, a, false]);
    }
  });

  // Values that an operator cannot compare: undefined, null, and values of another type.
  const strange = (operator: string): readonly ToolCall["args"][] => [
    {},
    { a: null },
    { a: { b: 1 } },
    ...(operator.toLowerCase().includes("contain")
      ? [{ a: "x" }, { a: 1 }]
      : [{ a: [] }, { a: ["y"] }]),
    ...(operator.endsWith("Than") || operator.endsWith("ThanInclusive")
      ? [{ a: "1" }, { a: "3" }, { a: true }]
      : []),
    ["x"],
  ];
  test.each(table)(
    "%s %j satisfies no allow on a value that it cannot compare, nor does its opposite",
    async (operator, value) => {
      for (const args of strange(operator)) {
        const leaf = amount(operator, value);
        expect([args, await holds("allow", { all: [leaf] }, call("t", args))]).toEqual([
          args,
          false,
        ]);
        expect([args, await holds("allow", { not: leaf }, call("t", args))]).toEqual([args, false]);
        expect([
          args,
          await holds("allow", { not: { all: [{ not: { any: [leaf] } }] } }, call("t", args)),
        ]).toEqual([args, false]);
      }
    },
  );
  test.each([
    ["notEqual", "x"],
    ["notIn", ["x"]],
  ])(
    "%s holds for a deny where the value is missing, and so does `not`",
    async (operator, value) => {
      expect(await holds("deny", { all: [amount(operator, value)] }, call("t"))).toBe(true);
      expect(await holds("ask_user", { not: amount("lessThanInclusive", 100) }, call("t"))).toBe(
        true,
      );
      expect(await holds("deny", { all: [amount("equal", "x")] }, call("t"))).toBe(false);
    },
  );
});

test.each(readCases<[when: RuleData, deny: boolean, allow: boolean]>(import.meta, "all-any-not"))(
  "all, any and not: %j",
  async (when, deny, allow) => {
    expect([await holds("deny", when, call("t")), await holds("allow", when, call("t"))]).toEqual([
      deny,
      allow,
    ]);
  },
);

describe("facts", () => {
  test("are the fields of the call", async () => {
    const one = call(
      "t",
      { a: { "b c": [10, { d: "deep" }] } },
      {
        server: "s",
        agent: "dev",
        task: "T1",
        phase: "PLAN",
        workspace: "/w",
        claims: { role: "ops" },
        host: { os: "linux" },
        approval_mode: "yolo",
      },
    );
    const when = {
      all: [
        fact("tool", "equal", "t"),
        fact("server", "equal", "s"),
        fact("agent", "in", ["dev"]),
        fact("task", "equal", "T1"),
        fact("phase", "equal", "PLAN"),
        fact("cwd", "equal", "/w"),
        fact("workspace", "equal", "/w"),
        fact("interactive", "equal", true),
        fact("approval_mode", "equal", "yolo"),
        { fact: "claims", path: "$['role']", operator: "equal", value: "ops" },
        { fact: "host", path: "$.os", operator: "equal", value: "linux" },
        { fact: "args", path: "$.a['b c'][1].d", operator: "equal", value: "deep" },
        { fact: "args", path: "$.a['b c']", operator: "contains", value: 10 },
      ],
    };
    expect(
      await effectOf(poolOf({ action: "allow", server: "s", tool: "t", when }), {
        ...one,
        servers: { s: ["t"] },
      }),
    ).toBe("allow");
  });
  test("the default mode is ask, and the default is that someone can be asked", async () => {
    const when = {
      all: [fact("approval_mode", "equal", "ask"), fact("interactive", "equal", true)],
    };
    expect(await holds("allow", when, call("t"))).toBe(true);
    expect(await holds("allow", when, call("t", {}, { interactive: false }))).toBe(false);
  });
  test("a list of arguments has indexes and no names", async () => {
    const at = (path: string, value: unknown): RuleData =>
      ({ fact: "args", path, operator: "equal", value }) as RuleData;
    expect(await holds("allow", { all: [at("$[1]", "b")] }, call("t", ["a", "b"]))).toBe(true);
    expect(await holds("allow", { all: [at("$.length", 2)] }, call("t", ["a", "b"]))).toBe(false);
    expect(await holds("deny", { all: [at("$['1']", "b")] }, call("t", ["a", "b"]))).toBe(false);
    expect(await holds("deny", { all: [at("$.a[0]", "x")] }, call("t", { a: "xyz" }))).toBe(false);
    expect(await holds("deny", { all: [at("$.a.length", 3)] }, call("t", { a: "xyz" }))).toBe(
      false,
    );
    expect(
      await holds(
        "allow",
        { all: [{ ...at("$", "b"), operator: "contains" }] },
        call("t", ["a", "b"]),
      ),
    ).toBe(true);
  });
  test("annotations can only make a decision stricter", async () => {
    const leaf = { fact: "annotations", path: "$.destructiveHint", operator: "equal", value: true };
    expect(
      await holds(
        "deny",
        { all: [leaf] },
        call("t", {}, { annotations: { destructiveHint: true } }),
      ),
    ).toBe(true);
  });
});

test.each(readCases<string>(import.meta, "inherited-paths"))(
  "inherited: %s reaches nothing",
  async (path) => {
    const leaf = (operator: string, value: unknown): RuleData =>
      ({ fact: "args", path, operator, value }) as RuleData;
    const one = call("t", { a: { b: 1 } });
    for (const value of ["Object", "toString", "x", 1])
      expect(await holds("deny", { all: [leaf("equal", value)] }, one)).toBe(false);
    expect(await holds("allow", { all: [leaf("notEqual", "never")] }, one)).toBe(false);
    expect(await holds("allow", { not: leaf("equal", "never") }, one)).toBe(false);
  },
);
test("a path into an inherited table leads to nothing", async () => {
  const args = Object.create({ a: "x" }) as ToolCall["args"];
  expect(await holds("deny", { all: [amount("equal", "x")] }, call("t", args))).toBe(false);
  const inherited = Object.assign(Object.create({ agent: "dev" }) as object, call("t"));
  expect(await holds("deny", { all: [fact("agent", "equal", "dev")] }, inherited)).toBe(false);
});

describe("a rule whose condition is false does not match", () => {
  const never = { all: [fact("agent", "equal", "nobody")] };
  const always = { all: [fact("tool", "equal", "t")] };
  const rule = (action: string, priority: string, more: RuleData = {}): RuleData => ({
    action,
    priority,
    tool: "t",
    ...more,
  });
  test.each(readCases<[string, readonly RuleData[], string]>(import.meta, "false-conditions"))(
    "%s",
    async (_, rules, expected) =>
      expect(await effectOf(poolOf(...rules), call("t"))).toBe(expected),
  );
  test("rules in shadow are recorded if the condition is true", async () => {
    const pool = poolOf(
      rule("deny", "user", { shadow: true, when: always }),
      rule("deny", "user", { shadow: true, when: never }),
      rule("allow", "admin"),
    );
    expect((await pool.evaluateConditional(call("t")))?.map(({ rule: one }) => one?.name)).toEqual([
      "r2",
      "r0",
    ]);
  });
  test("the other conditions must hold too, and an unreadable line stays unknown", async () => {
    const when = { all: [fact("approval_mode", "equal", "ask")] };
    const pool = poolOf({ action: "allow", command: "ls *", when });
    expect(await effectOf(pool, run("ls -l"))).toBe("allow");
    expect(await effectOf(pool, run("rm -rf x"))).toBe("abstain");
    expect(await effectOf(pool, run("ls; id"))).toBe("abstain");
    expect(await effectOf(pool, run("ls; $X"))).toBe("ask_user");
    expect(
      await effectOf(
        poolOf({ action: "allow", tool: "run_shell_command", when }),
        run("python3 -c 1"),
      ),
    ).toBe("ask_user");
  });
});

test("a condition is evaluated only if the rule matches otherwise", async () => {
  // json-rules-engine cannot convert such a value to a number and throws, so a call with it rejects.
  const poison = { a: { toString: 1, valueOf: 1 } };
  const when = { all: [amount("lessThan", 1)] };
  const others = Array.from({ length: 1000 }, (_, at): RuleData => ({
    action: "deny",
    tool: `other_${at}`,
    when,
  }));
  const pool = poolOf(
    ...others,
    { action: "deny", tool: "t", agent: "dev", when },
    { action: "allow", tool: "t" },
  );
  expect(await effectOf(pool, call("t", poison))).toBe("allow");
  await expect(pool.evaluateConditional(call("t", poison, { agent: "dev" }))).rejects.toThrow(
    TypeError,
  );
  await expect(pool.evaluateConditional(call("other_7", poison))).rejects.toThrow(TypeError);
  expect(await effectOf(pool, call("other_7", { a: 0 }))).toBe("deny");
});

test("concurrent evaluations do not interfere", async () => {
  const pool = poolOf(
    { action: "deny", tool: "t", when: { all: [amount("greaterThan", 50)] } },
    { action: "allow", tool: "t", when: { all: [amount("lessThanInclusive", 50)] } },
  );
  const calls = Array.from({ length: 200 }, (_, a) => call("t", { a: a % 101 }));
  const answers = await Promise.all(
    calls.map(async (one, at) => {
      for (let tick = 0; tick < at % 40; tick++) await Promise.resolve();
      return (await pool.evaluateConditional(one))?.[0]?.effect;
    }),
  );
  expect(answers).toEqual(calls.map((_, a) => (a % 101 > 50 ? "deny" : "allow")));
});

test("a pool says whether it is conditional, and never answers without evaluating its conditions", async () => {
  const plain = poolOf({ action: "deny", tool: "t" });
  expect(plain.conditional).toBe(false);
  expect(await plain.evaluateConditional(call("t"))).toEqual(plain.evaluate(call("t")));
  const file = policyOf([
    { name: "r", action: "deny", tool: "t", when: { all: [fact("agent", "equal", "x")] } },
  ]);
  const pool = compilePolicy([file]);
  expect(pool.conditional).toBe(true);
  expect(() => pool.evaluate(call("t"))).toThrow(TypeError);
  expect(() => pool.evaluateByScan(call("u"))).toThrow(TypeError);
  expect(compilePolicy([withoutRules(file, new Set(["r"]))]).conditional).toBe(false);
});

test("explain reports the conditions as the evaluation found them", async () => {
  const pool = poolOf(
    { action: "ask_user", tool: "t", when: { all: [fact("agent", "equal", "x")] } },
    { action: "ask_user", tool: "t", when: { all: [fact("agent", "equal", "dev")] } },
    { action: "allow", tool: "t", when: { all: [fact("agent", "equal", "dev")] } },
    { action: "allow", tool: "u", when: { all: [fact("agent", "equal", "dev")] } },
    { action: "deny", tool: "t", final: true, when: { all: [fact("agent", "equal", "x")] } },
    {
      action: "deny",
      tool: "t",
      priority: "admin",
      when: { all: [fact("agent", "equal", "dev")] },
    },
    { action: "ask_user", priority: "user", tool: "t" },
  );
  const one = call("t", {}, { agent: "dev" });
  expect(
    pool
      .explain(one)
      .map(({ matched, failed, depends_on }) => [matched, failed, depends_on])
      .slice(0, 4),
  ).toEqual([
    [false, undefined, "when"],
    [false, undefined, "when"],
    [false, undefined, "when"],
    [false, "tool", undefined],
  ]);
  await pool.evaluateConditional(one);
  expect(
    pool
      .explain(one)
      .map(({ matched, failed, depends_on, deciding }) => [matched, failed, depends_on, deciding]),
  ).toEqual([
    // Their tier is below that of a matching rule, so their conditions were not evaluated.
    [false, undefined, "when", false],
    [false, undefined, "when", false],
    [false, undefined, "when", false],
    [false, "tool", undefined, false],
    [false, "when", undefined, false],
    [true, undefined, undefined, true],
    [true, undefined, undefined, false],
  ]);
});

describe("a mistake is rejected with its position", () => {
  const good = fact("agent", "equal", "x");
  const nested = (depth: number): RuleData => (depth === 0 ? good : { all: [nested(depth - 1)] });
  const refused = (when: unknown, more: RuleData = {}) => {
    const text = toml([{ name: "r", action: "allow", tool: "t", ...more, when: when as never }]);
    try {
      parsePolicy(text, { file: "p.toml" });
    } catch (error) {
      if (error instanceof PolicyError) return { text, findings: error.findings };
      throw error;
    }
    throw new Error("the policy loads");
  };
  test.each(
    readCases<[when: unknown, message: string, fix: string | null, at: string]>(
      import.meta,
      "wrong-conditions",
    ),
  )("%j", (when, message, fix, at) => {
    const { text, findings } = refused(when);
    expect(findings.length).toBeGreaterThan(0);
    const [first] = findings;
    if (first === undefined) throw new Error("no finding");
    const { line, column } = first;
    expect(first.message).toMatch(new RegExp(message));
    if (fix !== null) expect(first.fix).toMatch(new RegExp(fix));
    expect(line).toBe(5);
    expect((text.split("\n")[line - 1] ?? "").slice(column - 1).startsWith(at)).toBe(true);
  });
  test.each(readCases<string>(import.meta, "wrong-paths"))("the path %j", (path) => {
    const { text, findings } = refused({
      all: [{ fact: "args", path, operator: "equal", value: 1 }],
    });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      line: 5,
      column: (text.split("\n")[4] ?? "").indexOf('"path"') + 1,
    });
    expect(findings[0]?.message).toMatch(/`path` must be a path of names and indexes/);
  });
  test("a long path is rejected at once", () => {
    expect(
      refused({
        all: [{ fact: "args", path: `$${".a".repeat(100_000)}!`, operator: "equal", value: 1 }],
      }).findings,
    ).toHaveLength(1);
  });
  test("ten nested levels load", () => {
    expect(
      policyOf([{ name: "r", action: "deny", tool: "t", when: nested(10) }]).rules,
    ).toHaveLength(1);
  });
  test.each(["match", "not_match"])("%s beside it", (key) => {
    expect(refused({ all: [good] }, { [key]: ["t"] }).findings[0]?.message).toMatch(
      new RegExp(`^\`${key}\` cannot test a rule with \`when\``),
    );
  });
  test("every mistake of a condition is reported", () => {
    expect(
      refused({ all: [fact("agnt", "equal", "x"), fact("agent", "eq", "x"), { any: [] }] })
        .findings,
    ).toHaveLength(3);
  });
  test("in a file of Radium it is unknown", () => {
    const text =
      'compat = "radium"\n[[rules]]\nname = "r"\naction = "deny"\ntool_pattern = "t"\nwhen = { all = [] }\n';
    expect(() => parsePolicy(text, { file: "p.toml" })).toThrow(/Unknown key `when`/);
  });
});
