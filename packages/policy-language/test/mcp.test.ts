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

describe("an allow", () => {
  test.each([
    ["its own name", { tool: "mcp__github__get_issue" }, listed("mcp__github__get_issue"), true],
    ["the other glue", { tool: "mcp__github__get_*" }, listed("mcp_github_get_issue"), true],
    [
      "the pattern in the other glue",
      { tool: "mcp_github_*" },
      listed("mcp__github__get_issue"),
      true,
    ],
    [
      "a bare name with its server",
      { tool: "mcp__github__get_*" },
      listed("get_issue", { server: "github" }),
      true,
    ],
    [
      "a prefixed name with its server",
      { tool: "mcp__github__get_*" },
      listed("mcp__github__get_issue", { server: "github" }),
      true,
    ],
    [
      "server and tool",
      { server: "github", tool: "get_*" },
      listed("mcp__github__get_issue"),
      true,
    ],
    ["server alone", { server: "github" }, listed("mcp__github__get_issue"), true],
    [
      "a glob for the server",
      { server: "git*", tool: "*" },
      listed("mcp__github__get_issue"),
      true,
    ],
    ["everything", { tool: "*" }, listed("mcp__github__get_issue"), true],
    ["every server", { tool: "mcp_*" }, listed("mcp__github__get_issue"), true],
    ["every server, other glue", { tool: "mcp__*" }, listed("mcp_github_get_issue"), true],
    [
      "a server without a registry, as the host names it",
      { tool: "mcp__x__*" },
      call("y", {}, { server: "x" }),
      true,
    ],
    [
      "a server that begins alike",
      { tool: "mcp__git__*" },
      call("t", {}, { server: "git__hub" }),
      false,
    ],
    [
      "a server that begins alike, one underscore",
      { tool: "mcp_git_*" },
      call("t", {}, { server: "git_hub" }),
      false,
    ],
    ["a tool of the longer server", { tool: "mcp__prod__*" }, listed("mcp__prod_db__query"), false],
    ["a bare glob", { tool: "get_*" }, listed("mcp__github__get_issue"), false],
    [
      "a bare glob with the server from the host",
      { tool: "get_*" },
      listed("get_issue", { server: "github" }),
      false,
    ],
    ["a glob in the middle", { tool: "*get_issue" }, listed("mcp__github__get_issue"), false],
    [
      "a rule about another server",
      { server: "git", tool: "get_*" },
      listed("mcp__github__get_issue"),
      false,
    ],
    ["a server rule for a tool of the host", { server: "github" }, listed("get_issue"), false],
    ["a command rule", { command: "ls *" }, listed("mcp__github__get_issue"), false],
  ] as const)("%s", (_, rule, one, covered) => {
    expect(verdictOf([allow(rule as RuleData)], one)).toBe(
      covered ? "allow rule_allowed r0" : "abstain",
    );
  });
});

describe("a name that does not come from exactly one registered server is never allowed", () => {
  test.each([
    ["two readings", "mcp__git__hub__get", { git: ["hub__get"], git__hub: ["get"] }, undefined],
    ["two readings, other glue", "mcp_a_b_c", { a: ["b_c"], a_b: ["c"] }, undefined],
    ["no such server", "mcp__gitlab__get_issue", servers, undefined],
    ["no such tool", "mcp__github__get_pull", servers, undefined],
    ["another case", "mcp__GitHub__get_issue", servers, undefined],
    ["a look-alike", "mcp__gіthub__get_issue", servers, undefined],
    ["zero width", "mcp__github\u200b__get_issue", servers, undefined],
    ["one underscore", "mcp__github_get_issue", servers, undefined],
    ["one underscore before", "mcp_github__get_issue", servers, undefined],
    ["no server", "mcp____get_issue", servers, undefined],
    ["a pattern for a name", "mcp__github__get_*", servers, undefined],
    ["no registry", "mcp__github__get_issue", undefined, undefined],
    ["prefix alone", "mcp_", servers, undefined],
    ["a server the registry lacks", "get_issue", servers, "gitlab"],
    ["a tool its server lacks", "get_pull", servers, "github"],
    ["the prefix of another server", "mcp__git__status", servers, "github"],
    ["the prefix of another server, no registry", "mcp__git__status", undefined, "github"],
    ["an inherited name", "toString", servers, "constructor"],
    ["an empty server", "get_issue", undefined, ""],
    ["two readings of one name", "mcp_git_x", { git: ["x", "mcp_git_x"] }, "git"],
  ] as const)("%s", (_, tool, registry, server) => {
    const one = call(
      tool,
      {},
      {
        ...(registry === undefined ? {} : { servers: registry }),
        ...(server === undefined ? {} : { server }),
      },
    );
    for (const rule of [
      { tool: "*" },
      { tool: "mcp_*" },
      { server: "*" },
      { tool: "mcp__*__*" },
      {},
    ]) {
      expect(verdictOf([allow({ ...rule, priority: "admin" })], one)).toBe(
        "ask_user unknown_server",
      );
      expect(verdictOf([allow(rule)], one, { default: "allow" })).toBe("ask_user unknown_server");
      expect(verdictOf([allow(rule)], one, { default: "deny" })).toBe("deny unknown_server");
    }
  });
});

describe("a deny matches the text and the tool's own name", () => {
  test.each([
    [{ tool: "mcp__prod_db__*" }, listed("mcp__prod_db__query")],
    [{ tool: "mcp__prod_db__*" }, listed("mcp_prod_db_query")],
    [{ tool: "mcp__prod_db__*" }, listed("query", { server: "prod_db" })],
    [{ tool: "mcp__*__delete_*" }, listed("mcp__github__delete_repo")],
    [{ tool: "delete_*" }, listed("mcp__github__delete_repo")],
    [{ tool: "delete_repo" }, listed("delete_repo", { server: "github" })],
    [{ server: "github" }, listed("mcp_github_delete_repo")],
    [{ server: "prod_db" }, call("mcp__prod_db__drop")],
    [{ server: "prod_db", tool: "*drop" }, call("mcp_prod_db_drop")],
    [{ server: "gitlab" }, listed("get_issue", { server: "gitlab" })],
    [{ tool: "mcp__gitlab__*" }, listed("x", { server: "gitlab" })],
    [{ tool: "mcp__git__*" }, listed("mcp__git__nothing")],
    [{}, call("mcp__a__b")],
    [{ server: "github", tool: "merge_*" }, call("mcp__github__merge_pull_request")],
    [{ server: "github", tool: "merge_*" }, call("mcp_github_merge_pull_request")],
    [{ server: "github", tool: "merge_*" }, call("mcp__github_merge_pull_request")],
    [{ server: "github", tool: "merge_*" }, call("mcp_github__merge_pull_request")],
    [{ server: "github", tool: "merge_*" }, listed("mcp__github__merge_pull_request")],
    [{ server: "github", tool: "merge_*" }, listed("merge_pull_request", { server: "github" })],
    [
      { server: "github", tool: "merge_*" },
      listed("mcp__hub__merge_pull_request", { server: "github" }),
    ],
    [{ server: "my_git_hub", tool: "merge_*" }, call("mcp__my_git_hub__merge_pull_request")],
    [{ server: "my_git_hub", tool: "merge_*" }, call("mcp_my_git_hub_merge_pull_request")],
    [{ server: "my__hub", tool: "a__merge" }, call("mcp__my__hub__a__merge")],
    [{ server: "hub_", tool: "merge" }, call("mcp__hub___merge")],
    [{ server: "_hub", tool: "merge" }, call("mcp__hub_merge")],
    [{ server: "git*|hub", tool: "x|merge_*" }, call("mcp__github__merge_pull_request")],
    [{ tool: "merge_*" }, call("mcp__github__merge_pull_request")],
    [{ tool: "merge_*" }, call("mcp_my_hub_merge_pull_request")],
  ] as const)("%j", (rule, one) =>
    expect(verdictOf([deny(rule as RuleData)], one)).toBe("deny rule_denied r0"),
  );
  test("it does not reach another server", () => {
    expect(verdictOf([deny({ server: "git" })], listed("mcp__github__get_issue"))).toBe("abstain");
    expect(verdictOf([deny({ tool: "mcp__git__*" })], listed("mcp__github__get_issue"))).toBe(
      "abstain",
    );
  });
  test.each(
    readCases<readonly [string, object, string]>(
      new URL("cases/mcp/unresolved.jsonl", import.meta.url),
    ),
  )("a name that is not resolved is only asked about: %s", (_, rule, tool) => {
    expect(verdictOf([deny(rule as RuleData)], call(tool))).toBe("ask_user unknown_server");
  });
});

test("a policy without rules still does not let a name pass that it cannot place", () => {
  expect(verdictOf([], call("mcp__a__b"))).toBe("ask_user unknown_server");
  expect(verdictOf([], call("other"))).toBe("abstain");
});

describe("an allow whose tool reads as server and tool in two ways", () => {
  test.each(readCases<string>(new URL("cases/mcp/unloadable.jsonl", import.meta.url)))(
    "%s does not load",
    (tool) => {
      expect(() => policyOf([{ name: "r", ...allow({ tool }) }])).toThrow(
        /can be split into server and tool in several ways/,
      );
      expect(() => policyOf([{ name: "r", ...allow({ tool, server: "a" }) }])).not.toThrow();
    },
  );
  test.each(["mcp__a__b__c", "mcp_a_b_c", "mcp__prod_db__*", "mcp__*__execute_*"])(
    "a deny or an ask of %s loads",
    (tool) => {
      for (const action of ["deny", "ask_user"])
        expect(policyOf([{ name: "r", action, tool }]).warnings).toEqual([]);
    },
  );
  test.each(readCases<string>(new URL("cases/mcp/loadable.jsonl", import.meta.url)))(
    "%s loads",
    (tool) => {
      expect(policyOf([{ name: "r", ...allow({ tool }) }]).rules).toHaveLength(1);
    },
  );
});

describe("names without blanks around them", () => {
  test.each(readCases<object>(new URL("cases/mcp/unloadable-tools.jsonl", import.meta.url)))(
    "%j does not load",
    (rule) => {
      for (const action of ["allow", "deny"]) {
        expect(() => policyOf([{ name: "r", action, ...(rule as RuleData) }])).toThrow(
          /begins or ends with a space/,
        );
      }
    },
  );
  test("a blank inside is part of the name", () => {
    expect(verdictOf([deny({ tool: "a b" })], call("a b"))).toBe("deny rule_denied r0");
  });
});

test("a rule in shadow that is final loads with a warning, and holds nothing", () => {
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
