import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { call, verdictOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const servers = {
  github: ["get_issue", "delete_repo"],
  git: ["hub__get_issue", "status"],
  prod_db: ["query"],
  prod: ["db__query", "ping"],
};
const listed = (tool: string, more: object = {}) => call(tool, {}, { servers, ...more });
const allow = (rule: RuleData): RuleData => ({ action: "allow", ...rule });
const deny = (rule: RuleData): RuleData => ({ action: "deny", ...rule });

test.each(readCases<[string, RuleData, ToolCall, boolean]>(import.meta, "allow"))(
  "an allow: %s",
  (_, rule, one, covered) => {
    expect(verdictOf([allow(rule)], one)).toBe(covered ? "allow rule_allowed r0" : "abstain");
  },
);

test.each(
  readCases<[string, string, (ToolCall["servers"] | null)?, string?]>(import.meta, "unclear-names"),
)(
  "a name that does not belong to exactly one registered server is never allowed: %s",
  (_, tool, registry, server) => {
    const one = call(
      tool,
      {},
      {
        ...(registry == null ? {} : { servers: registry }),
        ...(server === undefined ? {} : { server }),
      },
    );
    for (const rule of readCases<RuleData>(import.meta, "broad-allows")) {
      expect(verdictOf([allow({ ...rule, priority: "admin" })], one)).toBe(
        "ask_user unknown_server",
      );
      expect(verdictOf([allow(rule)], one, { default: "allow" })).toBe("ask_user unknown_server");
      expect(verdictOf([allow(rule)], one, { default: "deny" })).toBe("deny unknown_server");
    }
  },
);

describe("a deny matches the full name and the tool's own name", () => {
  test.each(readCases<[RuleData, ToolCall]>(import.meta, "denied-by-name"))("%j", (rule, one) =>
    expect(verdictOf([deny(rule)], one)).toBe("deny rule_denied r0"),
  );
  test("it does not match on another server", () => {
    expect(verdictOf([deny({ server: "git" })], listed("mcp__github__get_issue"))).toBe("abstain");
    expect(verdictOf([deny({ tool: "mcp__git__*" })], listed("mcp__github__get_issue"))).toBe(
      "abstain",
    );
  });
  test.each(readCases<[string, object, string]>(import.meta, "unresolved"))(
    "a name that is not resolved is only asked about: %s",
    (_, rule, tool) => {
      expect(verdictOf([deny(rule as RuleData)], call(tool))).toBe("ask_user unknown_server");
    },
  );
});

test("even without rules, a policy does not allow a name of an unknown server", () => {
  expect(verdictOf([], call("mcp__a__b"))).toBe("ask_user unknown_server");
  expect(verdictOf([], call("other"))).toBe("abstain");
});

describe("an allow whose tool can be split into server and tool in two ways", () => {
  test.each(readCases<string>(import.meta, "unloadable"))("%s does not load", (tool) => {
    expect(() => policyOf([{ name: "r", ...allow({ tool }) }])).toThrow(
      /can be split into server and tool in several ways/,
    );
    expect(() => policyOf([{ name: "r", ...allow({ tool, server: "a" }) }])).not.toThrow();
  });
  test.each(["mcp__a__b__c", "mcp_a_b_c", "mcp__prod_db__*", "mcp__*__execute_*"])(
    "a deny or an ask of %s loads",
    (tool) => {
      for (const action of ["deny", "ask_user"])
        expect(policyOf([{ name: "r", action, tool }]).warnings).toEqual([]);
    },
  );
  test.each(readCases<string>(import.meta, "loadable"))("%s loads", (tool) => {
    expect(policyOf([{ name: "r", ...allow({ tool }) }]).rules).toHaveLength(1);
  });
});

describe("names must not begin or end with spaces", () => {
  test.each(readCases<object>(import.meta, "unloadable-tools"))("%j does not load", (rule) => {
    for (const action of ["allow", "deny"]) {
      expect(() => policyOf([{ name: "r", action, ...(rule as RuleData) }])).toThrow(
        /begins or ends with a space/,
      );
    }
  });
  test("a space inside is part of the name", () => {
    expect(verdictOf([deny({ tool: "a b" })], call("a b"))).toBe("deny rule_denied r0");
  });
});

test("a final rule in shadow loads with a warning, and has no effect", () => {
  const rules = [
    { name: "r", ...deny({ tool: "t", priority: "admin", shadow: true, final: true }) },
    { name: "s", ...allow({ tool: "t" }) },
  ];
  expect(policyOf(rules).warnings).toMatchObject([
    {
      severity: "warning",
      message: expect.stringMatching(/`final` has no effect on a rule in shadow/),
    },
  ]);
  expect(verdictOf(rules, call("t"))).toBe("allow rule_allowed s");
});
