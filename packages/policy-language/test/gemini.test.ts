import { readFileSync } from "node:fs";
import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import {
  PolicyError,
  compilePolicy,
  parsePolicy,
  withoutRules,
  type ParseOptions,
} from "../src/index.ts";
import { call, run } from "./calls.ts";
import { geminiCases, geminiFixture, geminiToml } from "./gemini-cases.ts";
import type { RuleData } from "./toml.ts";

const load = (
  rules: readonly RuleData[],
  top: RuleData = {},
  options: Partial<ParseOptions> = {},
) =>
  parsePolicy(geminiToml(rules, { compat: "gemini", ...top }), { file: "gemini.toml", ...options });
const voteOn = (rules: readonly RuleData[], one: ToolCall, top: RuleData = {}) => {
  const votes = compilePolicy([load(rules, top)]).evaluate(one) ?? [];
  expect(votes).toHaveLength(1);
  return votes[0];
};
const effectOf = (rules: readonly RuleData[], one: ToolCall, top: RuleData = {}) =>
  voteOn(rules, one, top)?.effect;
const rule = (fields: RuleData): RuleData => ({
  toolName: "t",
  decision: "allow",
  priority: 100,
  ...fields,
});
const shell = (fields: RuleData): RuleData => rule({ toolName: "run_shell_command", ...fields });

describe("compound commands from gemini-cli's own tests", () => {
  test("no case is missing", () => expect(geminiCases()).toHaveLength(23));
  test.each(geminiCases())(
    "$name: `$command` is $expect",
    ({ rules, command, expect: wanted, defaultDecision, blamedRule }) => {
      const vote = voteOn(
        rules,
        run(command),
        defaultDecision === undefined ? {} : { default: defaultDecision },
      );
      expect(vote?.effect).toBe(wanted);
      if (blamedRule !== undefined) expect(vote?.rule?.name ?? null).toBe(blamedRule);
    },
  );
});

describe("the shipped files", () => {
  test.each(readCases<[string, number]>(import.meta, "valid-files"))(
    "%s loads without a finding",
    (name, rules) => {
      const file = parsePolicy(`compat = "gemini"\n${geminiFixture(`policies/${name}`)}`, {
        file: name,
      });
      expect(file.warnings).toEqual([]);
      expect(file.compatPolicy?.rules).toHaveLength(rules);
    },
  );
  test("plan.toml loads with a warning for each rule that is only for plan mode and so never matches", () => {
    const { warnings, compatPolicy } = parsePolicy(
      `compat = "gemini"\n${geminiFixture("policies/plan.toml")}`,
      { file: "plan.toml" },
    );
    expect(compatPolicy?.rules.length).toBeGreaterThan(15);
    expect(warnings.length).toBeGreaterThan(10);
    for (const { message } of warnings) expect(message).toContain("only in the mode `plan`");
  });
  test.each([
    ["conseca.toml", 2, /`safety_checker`/],
    ["discovered.toml", 7, /gemini-cli takes the `\*` in `discovered_tool_\*` literally/],
    ["sandbox-default.toml", 2, /Unknown key `modes`/],
    ["write.toml", 43, /Unknown key `safety_checker`/],
  ])("%s is rejected at the line that gemini-cli silently ignores", (name, line, message) => {
    const found = refusal(`compat = "gemini"\n${geminiFixture(`policies/${name}`)}`, name);
    expect(found.findings[0]).toMatchObject({ line, message: expect.stringMatching(message) });
  });
});

function refusal(text: string, file = "gemini.toml"): PolicyError {
  try {
    parsePolicy(text, { file });
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error("the file loads");
}

describe("an accidentally unsafe rule is rejected when the file loads", () => {
  test.each(readCases<[RuleData, string]>(import.meta, "unsafe-rules"))("%j", (fields, message) => {
    const { findings } = refusal(geminiToml([rule(fields)], { compat: "gemini" }));
    expect(findings.map(({ message: text }) => text).join("\n")).toMatch(new RegExp(message));
    expect(findings[0]?.line).toBeGreaterThan(1);
  });
  test("a rule without a tool, a decision or a priority", () => {
    const { findings } = refusal('compat = "gemini"\n[[rule]]\nmcpName = "github"');
    expect(findings.map(({ message }) => message)).toEqual([
      "The rule lacks `toolName`, which must be a tool name (`*` for every tool), or a list of them",
      "The rule lacks `decision`, which must be one of allow, deny, ask_user",
      "The rule lacks `priority`, which must be a number from 0 to 999",
    ]);
  });
  test("`[[rules]]` is not `[[rule]]`", () => {
    expect(refusal('compat = "gemini"\n[[rules]]\ntoolName = "*"').message).toContain(
      "Unknown key `rules`",
    );
  });
});

describe("which rule decides", () => {
  const one = call("t");
  test("the rule with the highest priority, then the first of the file, even if others are stricter", () => {
    const rules = [
      rule({ name: "low", decision: "deny", priority: 1 }),
      rule({ name: "first", priority: 4.3 }),
      rule({ name: "second", decision: "deny", priority: 4.3 }),
    ];
    expect(voteOn(rules, one)).toEqual({
      effect: "allow",
      code: "rule_allowed",
      reason: "The rule `first` allows this.",
      rule: { name: "first", file: "gemini.toml", line: 7 },
    });
    const pool = compilePolicy([load(rules)]);
    expect(
      pool.explain(one).map(({ name, matched, deciding }) => [name, matched, deciding]),
    ).toEqual([
      ["first", true, true],
      ["second", true, false],
      ["low", true, false],
    ]);
    const [vote] =
      compilePolicy([withoutRules(load(rules), new Set(["first"]))]).evaluate(one) ?? [];
    expect(vote?.rule?.name).toBe("second");
  });
  test("a rule at priority 950 counts like any other", () => {
    expect(
      effectOf([rule({ decision: "deny", priority: 950 }), rule({ priority: 100 })], one),
    ).toBe("deny");
  });
  test("no rule: the file's default, or else ask (deny if no one can be asked, allow in mode yolo)", () => {
    const none = [rule({ toolName: "other" })];
    expect(effectOf(none, one)).toBe("ask_user");
    expect(effectOf(none, { ...one, interactive: false })).toBe("deny");
    expect(effectOf(none, { ...one, approval_mode: "yolo" })).toBe("allow");
    expect(effectOf(none, { ...one, interactive: false }, { default: "ask_user" })).toBe(
      "ask_user",
    );
    expect(effectOf(none, one, { default: "deny" })).toBe("deny");
  });
  test("a file that agents could write cannot have a default of allow", () => {
    const file = load(
      [rule({ toolName: "other" })],
      { default: "allow" },
      { workspace: "/w", origin: "/w/gemini.toml" },
    );
    expect(file.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("in a file inside the workspace"),
    ]);
    expect(compilePolicy([file]).evaluate(one)?.[0]?.effect).toBe("ask_user");
  });
  test("modes, interactive, subagent and annotations", () => {
    const deny = (fields: RuleData, more: Partial<ToolCall>) =>
      effectOf([rule({ decision: "deny", ...fields })], { ...one, ...more });
    expect(deny({ modes: ["default"] }, {})).toBe("deny");
    expect(deny({ modes: ["autoEdit", "plan"] }, {})).toBe("ask_user");
    expect(deny({ modes: ["autoEdit"] }, { approval_mode: "autoEdit" })).toBe("deny");
    expect(deny({ modes: [] }, { approval_mode: "yolo" })).toBe("deny");
    expect(deny({ interactive: true }, {})).toBe("deny");
    expect(deny({ interactive: false }, {})).toBe("ask_user");
    expect(deny({ subagent: "x" }, { agent: "x" })).toBe("deny");
    expect(deny({ subagent: "x" }, {})).toBe("ask_user");
    expect(
      deny(
        { toolAnnotations: { destructiveHint: true } },
        { annotations: { destructiveHint: true } },
      ),
    ).toBe("deny");
    expect(
      deny({ toolAnnotations: { destructiveHint: true } }, { annotations: { destructiveHint: 1 } }),
    ).toBe("ask_user");
    expect(deny({ toolAnnotations: { toString: true } }, { annotations: {} })).toBe("ask_user");
  });
  test("denyMessage is the reason", () => {
    expect(voteOn([rule({ decision: "deny", denyMessage: "Ask Ann." })], one)?.reason).toBe(
      "Ask Ann.",
    );
    expect(voteOn([rule({ decision: "deny", deny_message: "Ask Bo." })], one)?.reason).toBe(
      "Ask Bo.",
    );
  });
  test("it casts one vote in addition to the pool's, and the kernel takes the stricter one", () => {
    const own = parsePolicy('[[rules]]\nname = "no"\naction = "deny"\ntool = "t"', {
      file: "own.toml",
    });
    const votes = compilePolicy([load([rule({})]), own]).evaluate(one);
    expect(votes?.map(({ effect }) => effect)).toEqual(["deny", "allow"]);
  });
});

describe("tools and servers", () => {
  test.each(readCases<[string, string | null, ToolCall, string]>(import.meta, "allow-server"))(
    "allow of %s (server %s)",
    (toolName, mcpName, one, wanted) => {
      expect(effectOf([rule({ toolName, ...(mcpName === null ? {} : { mcpName }) })], one)).toBe(
        wanted,
      );
    },
  );
  test.each([
    ["*", "*"],
    ["mcp_github_*", undefined],
    ["get_issue", "github"],
    ["mcp_github_get_issue", undefined],
  ])(
    "a name that no registry confirms is never allowed, and still denied: %s (server %s)",
    (toolName, mcpName) => {
      const fields = { toolName, ...(mcpName === undefined ? {} : { mcpName }) };
      const lone = call("mcp_github_get_issue");
      expect(effectOf([rule(fields)], lone)).toBe("ask_user");
      expect(effectOf([rule(fields)], { ...lone, approval_mode: "yolo" })).toBe("ask_user");
      expect(effectOf([rule({ ...fields, decision: "deny" })], lone)).toBe("deny");
    },
  );
  test("a call that requests more permissions asks for approval", () => {
    const one = call("t", { additional_permissions: { fileSystem: { write: ["/"] } } });
    expect(effectOf([rule({})], one)).toBe("ask_user");
  });
});

describe("argsPattern", () => {
  const key = (fields: RuleData, args: ToolCall["args"]) =>
    effectOf([rule(fields)], call("t", args));
  test("sees the arguments as gemini-cli writes them: sorted keys, a NUL around each top-level pair", () => {
    const pattern = '\\x00"file_path":"[^"]+\\.md"\\x00';
    expect(key({ argsPattern: pattern, decision: "deny" }, { z: 1, file_path: "a.md" })).toBe(
      "deny",
    );
    expect(key({ argsPattern: pattern, decision: "deny" }, { z: { file_path: "a.md" } })).toBe(
      "ask_user",
    );
    expect(
      key(
        { argsPattern: '"a":1\\x00,\\x00"b":\\{"c":2,"d":3\\}', decision: "deny" },
        { b: { d: 3, c: 2 }, a: 1 },
      ),
    ).toBe("deny");
  });
  test("a nested argument, or text that reaches into the next one, does not satisfy an allow", () => {
    const allow = { argsPattern: '"path":"src/.*safe' };
    expect(key(allow, { path: "src/a-safe" })).toBe("allow");
    expect(key(allow, { path: "/etc/passwd", extra: { path: "src/a-safe" } })).toBe("ask_user");
    expect(key(allow, { path: "src/evil", zone: "safe" })).toBe("ask_user");
    expect(key(allow, { path: "/etc/passwd", extra: '"path":"src/a-safe' })).toBe("ask_user");
    expect(key(allow, [{ path: "src/a-safe" }])).toBe("ask_user");
  });
  test("a pattern that would backtrack forever takes linear time", () => {
    expect(
      key({ argsPattern: "(a|aa)+$", decision: "deny" }, { x: `${"a".repeat(50_000)}!` }),
    ).toBe("ask_user");
  });
});

describe("shell", () => {
  const git = [
    shell({ commandPrefix: ["git log", "git status"] }),
    shell({ commandPrefix: "rm -rf", decision: "deny", priority: 200 }),
  ];
  test.each(readCases<[string, string]>(import.meta, "lines"))("%s", (command, wanted) => {
    expect(effectOf(git, run(command))).toBe(wanted);
    // The host may use any name for the shell tool.
    expect(effectOf(git, call("Bash", { command }))).toBe(wanted);
  });
  test.each(readCases<[string, object, string]>(import.meta, "other-arguments"))(
    "`%s` beside %j",
    (command, more, wanted) => {
      expect(effectOf(git, call("run_shell_command", { command, ...more }))).toBe(wanted);
    },
  );
  test("commandRegex matches from the start of the command, and for an allow up to the end of a word", () => {
    const rules = [
      shell({ commandRegex: "git (log|diff)" }),
      shell({ commandRegex: "npm pub", decision: "deny", priority: 200 }),
    ];
    expect(effectOf(rules, run("git diff --stat"))).toBe("allow");
    expect(effectOf(rules, run("git diffx"))).toBe("ask_user");
    expect(effectOf(rules, run("git log; git diff"))).toBe("allow");
    expect(effectOf(rules, run("evil; git log"))).toBe("ask_user");
    expect(effectOf(rules, run("echo git log"))).toBe("ask_user");
    expect(effectOf(rules, run("git log && npm publish"))).toBe("deny");
    expect(
      effectOf(
        [shell({ commandRegex: ".*safe" })],
        call("run_shell_command", { command: "evil-cmd", dir_path: "safe" }),
      ),
    ).toBe("ask_user");
    expect(
      effectOf(
        [shell({ commandRegex: 'git commit -m \\\\"[a-z ]+\\\\"' })],
        run('git commit -m "a word"'),
      ),
    ).toBe("allow");
  });
  test("argsPattern on the shell tool is matched against each command", () => {
    const rules = [shell({ argsPattern: '"command":"git ' })];
    expect(effectOf(rules, run("git status"))).toBe("allow");
    expect(effectOf(rules, run("git status && rm x"))).toBe("ask_user");
    expect(effectOf(rules, run("git status && git log"))).toBe("allow");
  });
  test("a rule for the whole tool asks about dangerous commands, except in mode yolo", () => {
    const rules = [shell({})];
    for (const command of readCases<string>(import.meta, "dangerous-commands")) {
      expect([command, effectOf(rules, run(command))]).toEqual([command, "ask_user"]);
      expect([command, effectOf(rules, { ...run(command), approval_mode: "yolo" })]).toEqual([
        command,
        "allow",
      ]);
    }
    expect(effectOf(rules, run("npm test && git status"))).toBe("allow");
  });
  test("an ask for the whole tool also holds for commands that look safe", () => {
    expect(effectOf([shell({ decision: "ask_user" })], run("cat README.md"))).toBe("ask_user");
  });
  test("redirections need approval in mode default, unless the rule allows them", () => {
    const echo = (fields: RuleData, mode: "ask" | "autoEdit") =>
      effectOf([shell({ commandPrefix: "echo", ...fields })], {
        ...run("echo hi > f"),
        approval_mode: mode,
      });
    expect(echo({}, "ask")).toBe("ask_user");
    expect(echo({ allowRedirection: true }, "ask")).toBe("allow");
    expect(echo({ allow_redirection: true }, "ask")).toBe("allow");
    expect(echo({}, "autoEdit")).toBe("allow");
  });
  test("once a rule denies a command, an unreadable command is not allowed in mode yolo either", () => {
    const yolo = (command: string, ...more: readonly RuleData[]) =>
      effectOf([rule({ toolName: "*", modes: ["yolo"], allowRedirection: true }), ...more], {
        ...run(command),
        approval_mode: "yolo",
      });
    const no = shell({ commandPrefix: "rm -rf", decision: "deny", priority: 999 });
    expect(yolo("ls && rm -rf /", no)).toBe("deny");
    expect(yolo("ls && $CMD -rf /", no)).toBe("ask_user");
    expect(yolo("ls && $CMD -rf /")).toBe("allow");
    expect(yolo('ls "', no)).toBe("ask_user");
    expect(yolo("ls && npm test", no)).toBe("allow");
  });
  test("a line that is too large to search is denied, even if a rule allows the tool", () => {
    const rules = [shell({ commandPrefix: "rm", decision: "deny", priority: 900 }), shell({})];
    const different = Array.from({ length: 600 }, (_, at) => `x${at};`).join("");
    for (const line of [`${different}rm -rf a`, `${"a b ".repeat(40_000)};rm -rf a`])
      expect(voteOn(rules, run(line))).toMatchObject({ effect: "deny", code: "unknown_command" });
  });

  test("a command that is not text is not allowed", () => {
    expect(effectOf([shell({})], call("run_shell_command", { command: ["ls"] }))).toBe("ask_user");
    expect(effectOf([shell({})], call("run_shell_command", {}))).toBe("ask_user");
  });
});

test("docs/compat-gemini.md shows policies that load without a warning", () => {
  const page = readFileSync(new URL("../../../docs/compat-gemini.md", import.meta.url), "utf8");
  const blocks = Array.from(page.matchAll(/^```toml\n([\s\S]*?)^```$/gm), ([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(0);
  for (const text of blocks) expect(parsePolicy(text, { file: "page.toml" }).warnings).toEqual([]);
});
