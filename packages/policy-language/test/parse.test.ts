import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { POLICY_LIMITS, PolicyError, parsePolicy } from "../src/index.ts";
import { policyOf, toml, type RuleData } from "./toml.ts";

function refused(text: string): PolicyError {
  try {
    parsePolicy(text, { file: "p.toml" });
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error("the policy loads");
}

const base = { name: "r", action: "deny" } as const;
const refusedRule = (rule: RuleData): PolicyError => refused(toml([{ ...base, ...rule }]));

describe("a mistake is rejected with its position and a suggestion", () => {
  test.each(readCases<[RuleData, string, string?]>(import.meta, "mistakes"))(
    "%j",
    (rule, message, fix) => {
      const { findings } = refusedRule(rule);
      const errors = findings.filter(({ severity }) => severity === "error");
      expect(errors).toHaveLength(1);
      const [error] = errors;
      expect(error?.message).toMatch(new RegExp(message));
      if (fix !== undefined) expect(error?.fix).toMatch(new RegExp(fix));
      expect(error).toMatchObject({ code: "BYLAW_POLICY_INVALID", file: "p.toml" });
      const [key = ""] = Object.keys(rule).slice(-1);
      const lines = toml([{ ...base, ...rule }]).split("\n");
      expect(lines[(error?.line ?? 0) - 1]).toContain(
        Object.keys(rule).find((name) => lines[(error?.line ?? 0) - 1]?.startsWith(name)) ?? key,
      );
    },
  );

  test("the message for a list names the wrong item", () => {
    expect(
      refused('[[rules]]\nname = "r"\naction = "deny"\ncommand = ["ls", "a | b"]\n').findings[0],
    ).toMatchObject({ line: 4, column: 18 });
  });
});

test("one run reports every mistake, in the order of the text", () => {
  const { findings, message, source } = refused(`default = "alow"
[[rules]]
name = "a"
acton = "deny"
tool = "x["
[[rules]]
name = "a"
action = "deny"
priority = "root"
paths = ["../x", "src/**"]
`);
  expect(findings.map(({ line }) => line)).toEqual([1, 4, 5, 7, 9, 10]);
  expect(message).toBe(
    "p.toml:1:11: `default` must be one of allow, deny, ask_user, not `alow` (and 5 more)".replace(
      "1:11",
      "1:1",
    ),
  );
  expect(source).toEqual({ file: "p.toml", line: 1, column: 1 });
});

test("a file of gemini-cli gets one finding that says how to read it", () => {
  const { findings } = refused('[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1\n');
  expect(findings).toMatchObject([
    { line: 1, message: expect.stringContaining("`[[rule]]` is how gemini-cli writes rules") },
  ]);
  expect(findings[0]?.fix).toMatch(/`compat = "gemini"`.*`bylaw import gemini FILE`/);
  for (const key of ["toolName", "commandPrefix", "mcpName", "decision"]) {
    expect(refusedRule({ [key]: "x" }).findings[0]?.fix).toMatch(
      /The language names it `\w+`.*`compat = "gemini"`.*`bylaw import gemini FILE`/,
    );
  }
  expect(refused('[[rule]]\nname = "x"\naction = "deny"\n').findings).toMatchObject([
    { fix: "Did you mean `rules`?" },
  ]);
});

test("names must be unique in a file, and the message names the first rule", () => {
  expect(refused(toml([base, base])).findings[0]).toMatchObject({
    line: 5,
    message: expect.stringContaining("named `r`, on line 1"),
  });
});

test("unknown top-level keys are rejected", () => {
  expect(refused('defautl = "deny"\n').findings[0]).toMatchObject({
    fix: "Did you mean `default`?",
  });
  expect(refused('[[rule]]\nname = "x"\n').findings[0]?.message).toMatch(/^Unknown key `rule`/);
  expect(refused('rules = "x"\n').findings[0]?.message).toMatch(
    /`rules` must be an array of tables, `\[\[rules\]\]`, not `x`/,
  );
  expect(refused("rules = [1]\n").findings[0]?.message).toMatch(/must be a table/);
});

test("a top-level mode and a misspelled compat are rejected with advice", () => {
  expect(refused('approval_mode = "ask"\n').findings[0]?.fix).toMatch(/compat = "radium"/);
  expect(refused('compat = "radum"\n').findings[0]?.fix).toBe("Did you mean `radium`?");
});

test("old spellings load with a warning that has a position", () => {
  const file = parsePolicy(
    '[[rules]]\nname = "a"\naction = "askuser"\ntool_pattern = "read_*"\napproval_mode = "autoedit"\n',
    { file: "p.toml" },
  );
  expect(file.warnings.map(({ line, message, severity }) => [line, message, severity])).toEqual([
    [3, "`askuser` is an old spelling of `ask_user`", "warning"],
    [4, "`tool_pattern` is an old name of `tool`", "warning"],
    [5, "`autoedit` is an old spelling of `autoEdit`", "warning"],
  ]);
  expect(file.rules[0]?.source).toMatchObject({
    effect: "ask_user",
    tool: "read_*",
    modes: ["autoEdit"],
  });
  expect(refused(toml([{ ...base, tool: "a", tool_pattern: "b" }])).findings[0]?.message).toMatch(
    /Use `tool` alone/,
  );
});

test("a mistake under an old key is reported at that key", () => {
  expect(
    refused(toml([{ ...base, tool_pattern: "a[" }])).findings.find(
      ({ severity }) => severity === "error",
    ),
  ).toMatchObject({ line: 4 });
  expect(refused(toml([{ ...base, pattern: "a; b c" }])).findings[0]).toMatchObject({ line: 4 });
});

test("an allow of everything gets a warning", () => {
  expect(policyOf([{ name: "r", action: "allow" }]).warnings).toHaveLength(1);
  expect(policyOf([{ name: "r", action: "allow", tool: "read_file" }]).warnings).toEqual([]);
  expect(policyOf([{ name: "r", action: "deny" }]).warnings).toEqual([]);
});

describe("a file that agents could write", () => {
  const text = toml([
    { name: "a", action: "allow", tool: "x", priority: "admin" },
    { name: "b", action: "allow", tool: "x", priority: "default" },
    { name: "c", action: "deny", tool: "x", priority: "admin" },
  ]);
  const tiers = (options: Parameters<typeof parsePolicy>[1]) =>
    parsePolicy(text, options).rules.map(({ source }) => source.tier);
  test("can allow at most at tier workspace, and deny or ask at any tier", () => {
    const file = parsePolicy(text, { file: "/w/p.toml", workspace: "/w" });
    expect(file.rules.map(({ source }) => source.tier)).toEqual(["workspace", "default", "admin"]);
    expect(file.warnings.map(({ line, column }) => [line, column])).toEqual([[5, 1]]);
  });
  test("is recognized by its real path", () => {
    expect(tiers({ file: "p.toml", origin: "/w/p.toml", workspace: "/w" })[0]).toBe("workspace");
    expect(tiers({ file: "/w/p.toml", workspace: "/w/" })[0]).toBe("workspace");
    expect(tiers({ file: "/wide/p.toml", workspace: "/w" })[0]).toBe("admin");
    expect(tiers({ file: "/w/p.toml" })[0]).toBe("admin");
  });
  test("keeps its tiers if the operator vouches for it", () => {
    expect(tiers({ file: "/w/p.toml", workspace: "/w", operator: true })[0]).toBe("admin");
  });
});

test("the limits of the text are checked without extra cost", () => {
  expect(refused("#".repeat(POLICY_LIMITS.characters + 1)).message).toMatch(
    /The policy has 4194305 characters/,
  );
  const rules = Array.from({ length: POLICY_LIMITS.rules + 1 }, () => "[[rules]]\n").join("");
  expect(refused(rules).message).toMatch(/The policy has 50001 rules; the limit is 50000/);
  expect(refused(`x = ${"[".repeat(5000)}`).message).toMatch(/Invalid TOML/);
  expect(refused(`a.${"b.".repeat(5000)}c = 1`).message).toMatch(
    /p\.toml:1:1: Unknown key `a`\. Known keys: default, compat, rules/,
  );
});

test("a file that agents could write cannot allow everything by default", () => {
  const text = 'default = "allow"\n';
  const inside = parsePolicy(text, { file: "/w/p.toml", workspace: "/w" });
  expect(inside.default).toBeUndefined();
  expect(inside.warnings).toMatchObject([{ line: 1, severity: "warning" }]);
  expect(parsePolicy(text, { file: "/w/p.toml", workspace: "/w", operator: true }).default).toBe(
    "allow",
  );
  expect(parsePolicy('default = "deny"\n', { file: "/w/p.toml", workspace: "/w" }).default).toBe(
    "deny",
  );
});

test("an empty policy loads and casts no vote", () => {
  expect(parsePolicy("", { file: "p.toml" })).toMatchObject({ rules: [], warnings: [] });
  expect(parsePolicy("\uFEFF# nothing\r\n", { file: "p.toml" }).rules).toEqual([]);
});

test("values that TOML has but JSON does not are rejected", () => {
  for (const value of ["1979-05-27", "nan", "inf", "9007199254740993"]) {
    expect(
      refused(`[[rules]]\nname = "r"\naction = "deny"\nargs = { a = { eq = ${value} } }\n`).code,
    ).toBe("BYLAW_POLICY_INVALID");
  }
});

test.each(["x.yaml", "x.yml", "x.json", "bylaw.config.ts"])(
  "%s is no policy, and no broken TOML either",
  (file) => {
    expect(() => parsePolicy("rules:\n  - a\n", { file })).toThrow(
      `\`${file}\` is not a TOML file, and a policy must be one`,
    );
    expect(() => parsePolicy("rules:\n  - a\n", { file: "x.toml" })).toThrow(/Invalid TOML/);
  },
);

test.each(["approval_mode", "modes"])("an old spelling of a mode in `%s` gets a warning", (key) => {
  const { warnings, rules } = parsePolicy(
    `[[rules]]\nname = "a"\naction = "deny"\n${key} = "autoedit"\n`,
    { file: "x.toml" },
  );
  expect(warnings.map(({ message, line }) => [message, line])).toEqual([
    ["`autoedit` is an old spelling of `autoEdit`", 4],
  ]);
  expect(rules[0]?.source.modes).toEqual(["autoEdit"]);
});
