import type { ApprovalMode, ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { importPolicy } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { geminiCases, geminiFixture, geminiToml } from "./gemini-cases.ts";
import { imported } from "./imported.ts";
import type { RuleData } from "./toml.ts";

const gemini = (...rules: readonly RuleData[]) => imported("gemini", geminiToml(rules));
const rule = (fields: RuleData): RuleData => ({
  toolName: "t",
  decision: "allow",
  priority: 100,
  ...fields,
});
const shell = (fields: RuleData): RuleData => rule({ toolName: "run_shell_command", ...fields });

describe("gemini-cli's own cases, imported", () => {
  // Each difference is explained in docs/decisions/0007-gemini-reading.md.
  const DIFFERENT: Readonly<Record<string, string>> = {
    "echo $(git log)": "ask_user",
    "git log && echo $(git log)": "ask_user",
    "git log > /tmp/test": "ask_user",
  };
  test.each(geminiCases())(
    "$name: `$command`",
    async ({ rules, command, expect: wanted, defaultDecision }) => {
      const { pool } = await gemini(...rules);
      const effect = pool.evaluate(run(command))?.[0]?.effect ?? defaultDecision ?? pool.fallback;
      expect(effect).toBe(DIFFERENT[command] ?? wanted);
    },
  );
  test("an ask is named even after a part that no rule matches", async () => {
    const { pool } = await gemini(
      shell({ name: "ask b", commandPrefix: "b", decision: "ask_user" }),
    );
    expect(pool.evaluate(run("a && b"))?.[0]?.rule?.name).toBe("ask-ask-b");
  });
});

test.each(readCases<[string, number, number]>(import.meta, "lost-rules"))(
  "the shipped files: %s: %i rules, %i lost",
  async (name, rules, lost) => {
    const result = await imported("gemini", geminiFixture(`policies/${name}`));
    expect(result.rules).toBe(rules);
    expect(result.findings.filter(({ severity }) => severity === "lost")).toHaveLength(lost);
  },
);

describe("the first match by priority becomes tiers", () => {
  const at = (priority: number, decision: string, commandPrefix?: string): RuleData =>
    shell({ priority, decision, ...(commandPrefix === undefined ? {} : { commandPrefix }) });
  test("an exception above a deny stays an exception, and a deny above an allow holds", async () => {
    const { effectOf, report } = await gemini(
      at(10, "allow"),
      at(100, "deny", "git"),
      at(200, "allow", "git log"),
      at(300, "deny", "git log -p"),
    );
    expect(
      ["ls", "git push", "git log", "git log -p", "git log && git push"].map((line) =>
        effectOf(run(line)),
      ),
    ).toEqual(["allow", "deny", "allow", "deny", "deny"]);
    expect(report).toEqual([]);
  });
  test("neighbouring rules that cannot disagree share a tier", async () => {
    const { toml } = await gemini(
      rule({ toolName: "a", priority: 9 }),
      rule({ toolName: "b", decision: "deny", priority: 8 }),
      rule({ toolName: "a", decision: "allow", priority: 7 }),
    );
    expect(toml).not.toContain("priority");
  });
  test("more levels than tiers make the result stricter, with a finding", async () => {
    const { effectOf, report } = await gemini(
      at(60, "allow", "a"),
      at(50, "deny", "a"),
      at(50, "allow", "b"),
      at(40, "deny", "b"),
      at(40, "allow", "c"),
      at(30, "deny", "c"),
      at(30, "allow", "d"),
      at(20, "deny", "d"),
    );
    expect(["a", "b", "c", "d"].map((line) => effectOf(run(line)))).toEqual([
      "allow",
      "allow",
      "allow",
      "deny",
    ]);
    expect(report).toEqual(["stricter 36:1"]);
  });
});

describe("the tools and commands of a rule", () => {
  test.each(readCases<[RuleData, ToolCall, string]>(import.meta, "rules"))(
    "%j",
    async (fields, one, wanted) => {
      const { effectOf, report } = await gemini(rule(fields));
      expect(effectOf(one)).toBe(wanted);
      expect(report).toEqual([]);
    },
  );
  test.each([
    [{ argsPattern: "secret", decision: "deny" }, call("t", { a: "harmless" }), "deny"],
    [{ argsPattern: '"a":"x.*y', decision: "deny" }, call("t", { a: "harmless" }), "deny"],
    [{ argsPattern: '"a":"x|y"', decision: "deny" }, call("t", { a: "harmless" }), "deny"],
    [{ toolName: "read_*", decision: "deny" }, call("read_file"), "deny"],
  ] as const)("an inexact deny becomes stricter: %j", async (fields, one, wanted) => {
    expect((await gemini(rule(fields))).effectOf(one)).toBe(wanted);
  });
  test("toolAnnotations become a condition in `when`", async () => {
    const { toml } = await gemini(
      rule({ toolName: "*", decision: "ask_user", toolAnnotations: { destructiveHint: true } }),
    );
    expect(toml).toContain(
      `when = { all = [{ fact = "annotations", path = "$['destructiveHint']", operator = "equal", value = true }] }`,
    );
  });
  test.each(readCases<[string, string, string]>(import.meta, "allows-by-regex"))(
    "an allow of commandRegex `%s`: `%s` is %s",
    async (commandRegex, command, wanted) => {
      expect((await gemini(shell({ commandRegex }))).effectOf(run(command))).toBe(wanted);
    },
  );
  test.each(readCases<[string, string, string]>(import.meta, "command-regex"))(
    "a deny of commandRegex `%s`: `%s` is %s",
    async (commandRegex, command, wanted) => {
      expect((await gemini(shell({ commandRegex, decision: "deny" }))).effectOf(run(command))).toBe(
        wanted,
      );
    },
  );
});

describe("what cannot be carried over", () => {
  test.each(readCases<[RuleData, string]>(import.meta, "lost-allows"))(
    "an allow is lost alone: %j",
    async (fields, message) => {
      const { effectOf, rules, findings } = await gemini(rule(fields), rule({ toolName: "glob" }));
      expect(rules).toBe(1);
      expect(effectOf(call("glob"))).toBe("allow");
      expect(findings).toEqual([
        expect.objectContaining({
          severity: "lost",
          line: 1,
          message: expect.stringMatching(message),
        }),
      ]);
    },
  );
  test.each([
    [{ toolName: "*", argsPattern: "secret", decision: "deny" }],
    [{ decision: "deny", priority: 4000 }],
    [{ decision: "block" }],
  ] as const)("a lost rule that may have denied makes every allow doubtful: %j", async (fields) => {
    const { effectOf, findings } = await gemini(rule(fields), rule({ toolName: "glob" }));
    expect(effectOf(call("glob"))).toBe("ask_user");
    expect(findings.map(({ severity }) => severity).toSorted()).toEqual(["lost", "stricter"]);
  });
  test("a safety checker cannot be carried over, so the allows ask", async () => {
    const checker =
      '[[safety_checker]]\ntoolName = "*"\n[safety_checker.checker]\ntype = "in-process"\nname = "allowed-path"\n';
    expect(
      (await imported("gemini", `${checker}${geminiToml([rule({})])}`)).effectOf(call("t")),
    ).toBe("ask_user");
  });
  test("a file that is not TOML", async () => {
    await expect(importPolicy("gemini", [{ file: "p.toml", text: 'a = "' }])).rejects.toMatchObject(
      { code: "BYLAW_IMPORT_INVALID", source: { file: "p.toml", line: 1 } },
    );
  });
});

describe("commands that gemini-cli asks about even if a rule allows them", () => {
  test.each(
    readCases<[Parameters<typeof shell>[0], string, ApprovalMode, string]>(import.meta, "modes"),
  )("%j: `%s` in mode %s is %s", async (fields, command, approval_mode, wanted) => {
    const { effectOf } = await gemini(shell(fields));
    expect(effectOf({ ...run(command), approval_mode })).toBe(wanted);
  });
  test("a deny of a lower tier holds above the ask", async () => {
    const { effectOf } = await gemini(
      shell({ commandPrefix: "git log", priority: 200 }),
      shell({ commandPrefix: "git push", decision: "deny" }),
    );
    expect(effectOf(run("git push > x"))).toBe("deny");
  });
});

describe("files of several folders", () => {
  const settings = '{"tools": {"exclude": ["write_file"], "allowed": ["glob"]}}';
  const toml = geminiToml([
    rule({ toolName: ["write_file", "read_file"], priority: 950 }),
    rule({ toolName: "read_file", decision: "deny", priority: 1 }),
  ]);
  test("policies of the user and settings are ordered together", async () => {
    const { effectOf, report } = await imported("gemini", settings, {
      file: "/home/dev/.gemini/policies/a.toml",
      text: toml,
      scope: "user",
    });
    expect(["write_file", "read_file", "glob"].map((tool) => effectOf(call(tool)))).toEqual([
      "allow",
      "allow",
      "allow",
    ]);
    expect(report).toEqual([]);
  });
  test("a policy of unknown rank overrides no deny of another", async () => {
    const { effectOf, report } = await imported("gemini", settings, {
      file: "somewhere/a.toml",
      text: toml,
    });
    expect(["write_file", "read_file", "glob"].map((tool) => effectOf(call(tool)))).toEqual([
      "deny",
      "deny",
      "allow",
    ]);
    expect(report).toEqual(["stricter 1:24"]);
  });
  test("files of one folder are ordered together", async () => {
    const { effectOf } = await imported(
      "gemini",
      { file: "p/a.toml", text: geminiToml([rule({ toolName: "glob", priority: 5 })]) },
      {
        file: "p/b.toml",
        text: geminiToml([rule({ toolName: "glob", decision: "deny", priority: 4 })]),
      },
    );
    expect(effectOf(call("glob"))).toBe("allow");
  });
});

describe("the lists of settings.json", () => {
  const text = JSON.stringify({
    tools: {
      allowed: ["run_shell_command(git)", "read_file"],
      exclude: ["ShellTool(rm -rf)", "web_fetch"],
      core: ["glob"],
    },
    mcp: { excluded: ["evil"], allowed: ["github"] },
    mcpServers: { trusted: { trust: true }, other: { trust: false } },
  });
  test.each(readCases<[ToolCall, string]>(import.meta, "settings"))("%j", async (one, wanted) => {
    expect((await imported("gemini", text)).effectOf(one)).toBe(wanted);
  });
  test("without `tools.core` listed and trusted servers are allowed", async () => {
    const { effectOf } = await imported(
      "gemini",
      '{"mcp": {"allowed": ["github"]}, "mcpServers": {"t": {"trust": true}, "o": {}}}',
    );
    const of = (server: string) => effectOf(call("x", {}, { server }));
    expect([of("github"), of("t"), of("o")]).toEqual(["allow", "allow", "ask_user"]);
  });
});
