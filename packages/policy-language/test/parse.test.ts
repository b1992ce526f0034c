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

describe("a mistake is refused with its place and what was probably meant", () => {
  test.each([
    [{ acton: "deny" }, "Unexpected key `acton`, expected `action`", "did you mean `action`?"],
    [{ tol: "x" }, "Unexpected key `tol`, expected `tool`", "did you mean `tool`?"],
    [{ commandPrefix: "git" }, /^Unexpected key `commandPrefix`/, /`command/],
    [{ action: "allwo" }, "Unexpected `allwo` in `action`, expected one of allow, deny, ask_user", "did you mean `allow`?"],
    [{ action: "ask" }, /^Unexpected `ask` in `action`/, "did you mean `ask_user`?"],
    [{ priority: "amdin" }, /^Unexpected `amdin` in `priority`/, "did you mean `admin`?"],
    [{ modes: ["yollo"] }, /in `modes`, expected one of ask, autoEdit, yolo/, "did you mean `yolo`?"],
    [{ approval_mode: "auto" }, /in `approval_mode`/, undefined],
    [{ tool: "" }, /^Unexpected empty text in `tool`/, undefined],
    [{ tool: "a||b" }, /^Unexpected empty alternative in `a\|\|b`/, undefined],
    [{ tool: "a[b" }, /^Unexpected `\[` without `\]`/, /itself/],
    [{ tool: "a[^b]" }, /expected `\[!`/, undefined],
    [{ tool: "[z-a]" }, /range/, undefined],
    [{ tool: "a\\" }, /backslash at the end/, undefined],
    [{ tool: "{a,\\*}" }, /backslash beside braces/, undefined],
    [{ tool: "{1..9}" }, /range/, undefined],
    [{ tool: "{a,b}".repeat(9) }, /number of braces/, undefined],
    [{ tool: "{a,b,c,d,e,f,g,h,i,j}{a,b,c,d,e,f,g,h,i,j}{a,b,c,d,e,f,g,h,i,j}{a,b}" }, /number of alternatives/, undefined],
    [{ tool: "x".repeat(4097) }, /4097 characters/, undefined],
    [{ tool: 3 }, "Unexpected `3` in `tool`, expected a tool name or glob", undefined],
    [{ tool: ["a"] }, "Unexpected list in `tool`, expected a tool name or glob", undefined],
    [{ command: [] }, /^Unexpected empty list in `command`/, undefined],
    [{ command: " " }, /empty command pattern/, undefined],
    [{ command: "a; b" }, /shell syntax in the command pattern/, /one pattern for each/],
    [{ command: "git 'status'" }, /shell syntax/, undefined],
    [{ command: "bin/" }, /folder for a program/, undefined],
    [{ tool: "read_file", command: "ls" }, /^Unexpected `command` on `read_file`/, /run_shell_command/],
    [{ tool: "read_file", command_regex: "ls" }, /^Unexpected `command_regex` on `read_file`/, undefined],
    [{ command_regex: "(?=a)b" }, /expected re2 syntax/, /look-around/],
    [{ command_regex: "(a)\\1" }, /expected re2 syntax/, /back-references/],
    [{ command_regex: "(" }, /expected re2 syntax/, undefined],
    [{ command_regex: "" }, /empty text in `command_regex`/, undefined],
    [{ args: { a: { regex: "[" } } }, /expected re2 syntax/, undefined],
    [{ args: {} }, /empty `args`/, undefined],
    [{ args: { a: {} } }, /empty condition/, undefined],
    [{ args: { a: "GET" } }, /expected a condition like/, undefined],
    [{ args: { a: { equals: 1 } } }, /^Unexpected key `equals`/, undefined],
    [{ args: { a: { eqq: 1 } } }, "Unexpected key `eqq`, expected `eq`", "did you mean `eq`?"],
    [{ args: { "a..b": { eq: 1 } } }, /argument name/, undefined],
    [{ args: { a: { min: 2, max: 1 } } }, /min 2 is above max 1/, undefined],
    [{ args: { a: { in: [] } } }, /`in` is empty/, undefined],
    [{ args: { a: { eq: "x", type: "number" } } }, /can never hold/, undefined],
    [{ args: { a: { in: ["x"], glob: "y*" } } }, /can never hold/, undefined],
    [{ args: { a: { type: "string", min: 1 } } }, /can never hold/, undefined],
    [{ args: { a: { type: "number", glob: "x" } } }, /can never hold/, undefined],
    [{ args: { a: { glob: "x", max: 1 } } }, /can never hold/, undefined],
    [{ args: { a: { exists: false, eq: 1 } } }, /can never hold/, undefined],
    [{ args: { a: { not: { min: 2, max: 1 } } } }, /can never hold/, undefined],
    [{ args: { a: { type: "text" } } }, /in `type`, expected one of string/, undefined],
    [{ args: { a: { url_prefix: "example.com" } } }, /Unexpected URL/, undefined],
    [{ args: { a: { url_prefix: "https://u:p@example.com/" } } }, /user, query or fragment/, undefined],
    [{ args: { a: { url_prefix: "https://example.com/?q=1" } } }, /user, query or fragment/, undefined],
    [{ paths: {} }, /`paths` without read and write/, undefined],
    [{ paths: "!src" }, /negation/, undefined],
    [{ paths: "src/../x" }, /`\.\.`/, "write the absolute path"],
    [{ paths: "src/" }, /empty or `\.` segment/, "for everything below a folder write `src/**`"],
    [{ paths: "a**b/c" }, /`\*\*` beside other text/, undefined],
    [{ paths: "@(a|b)" }, /extended glob/, undefined],
    [{ paths: "src/(a|b)" }, /extended glob/, undefined],
    [{ paths: "a\\b" }, /backslash/, undefined],
    [{ paths: "~root/x" }, /`~root\/x`/, undefined],
    [{ paths: { reed: ["x"] } }, /^Unexpected key `reed`/, "did you mean `read`?"],
    [{ tool: "read_file", network: "a.example" }, /`network` on `read_file`, expected a tool that opens a URL/, /web_fetch/],
    [{ network: "bü*.example" }, /expected a name of a host/, /label of its own/],
    [{ tool: "web_fetch", network: "https://a.example/x" }, /expected a host/, /url_prefix/],
    [{ tool: "web_fetch", network: "A.example" }, /lower case/, undefined],
    [{ when: { all: [] } }, /^Unexpected empty list in `all`/, undefined],
    [{ final: true, action: "allow", tool: "x" }, /`final` on an allow rule/, undefined],
    [{ pattern: "a", tool: "b" }, /`pattern` beside `tool`/, undefined],
    [{ modes: ["ask"], approval_mode: "ask" }, /`approval_mode` beside `modes`/, undefined],
    [{ modes: [] }, /empty list in `modes`/, undefined],
    [{ interactive: "yes" }, "Unexpected `yes` in `interactive`, expected true or false", undefined],
    [{ arg_pattern: "x" }, /^Unexpected `arg_pattern`/, /compat = "radium"/],
    [{ tool: "read_*", match: ["write_file"] }, "Unexpected miss of `write_file`, expected rule `r` to match it", undefined],
    [{ tool: "read_*", not_match: "read_file" }, /^Unexpected match of `read_file`/, undefined],
    [{ command: "git push *", match: ["git pull"] }, /^Unexpected miss of `git pull`/, undefined],
    [{ command: "ls *", action: "allow", match: ["ls; id"] }, /^Unexpected miss of `ls; id`, /, undefined],
    [{ command: "ls *", action: "allow", match: ["ls; $X"] }, /^Unexpected miss of `ls; \$X` \(command name `\$X`\)/, undefined],
    [{ tool: "http_request", action: "allow", paths: "src/**" }, /expected a tool whose path arguments are known/, /`tools`/],
  ] as const)("%j", (rule, message, fix) => {
    const { findings } = refusedRule(rule as unknown as RuleData);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors).toHaveLength(1);
    const [error] = errors;
    if (typeof message === "string") expect(error?.message).toBe(message);
    else expect(error?.message).toMatch(message);
    if (typeof fix === "string") expect(error?.fix).toBe(fix);
    else if (fix !== undefined) expect(error?.fix).toMatch(fix);
    expect(error).toMatchObject({ code: "BYLAW_POLICY_INVALID", file: "p.toml" });
    const [key = ""] = Object.keys(rule).slice(-1);
    const lines = toml([{ ...base, ...(rule as unknown as RuleData) }]).split("\n");
    expect(lines[(error?.line ?? 0) - 1]).toContain(
      Object.keys(rule).find((name) => lines[(error?.line ?? 0) - 1]?.startsWith(name)) ?? key,
    );
  });

  test("a list names its item", () => {
    expect(refused('[[rules]]\nname = "r"\naction = "deny"\ncommand = ["ls", "a | b"]\n').findings[0]).toMatchObject({
      line: 4,
      column: 18,
    });
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
  expect(findings.map(({ line }) => line)).toEqual([1, 2, 4, 5, 7, 9, 10]);
  expect(message).toBe(
    "p.toml:1:11: Unexpected `alow` in `default`, expected one of allow, deny, ask_user (and 6 more)".replace("1:11", "1:1"),
  );
  expect(source).toEqual({ file: "p.toml", line: 1, column: 1 });
});

test("a file of gemini-cli is told from one with mistakes: one finding that says what reads it", () => {
  const { findings } = refused('[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1\n');
  expect(findings).toMatchObject([{ line: 1, message: expect.stringContaining("Unexpected `[[rule]]` as gemini-cli writes it") }]);
  expect(findings[0]?.fix).toMatch(/`compat = "gemini"`.*`bylaw import gemini FILE`/);
  for (const key of ["toolName", "commandPrefix", "mcpName", "decision"]) {
    expect(refusedRule({ [key]: "x" }).findings[0]?.fix).toMatch(
      /the language names it `\w+`.*`compat = "gemini"`.*`bylaw import gemini FILE`/,
    );
  }
  expect(refused('[[rule]]\nname = "x"\naction = "deny"\n').findings).toMatchObject([{ fix: "did you mean `rules`?" }]);
});

test("names are unique in a file, and the message names the first", () => {
  expect(refused(toml([base, base])).findings[0]).toMatchObject({ line: 5, message: expect.stringContaining("the first is on line 1") });
});

test("unknown keys at the top are refused", () => {
  expect(refused('defautl = "deny"\n').findings[0]).toMatchObject({ fix: "did you mean `default`?" });
  expect(refused('[[rule]]\nname = "x"\n').findings[0]?.message).toMatch(/^Unexpected key `rule`/);
  expect(refused('rules = "x"\n').findings[0]?.message).toMatch(/expected an array of tables/);
  expect(refused("rules = [1]\n").findings[0]?.message).toMatch(/expected a table/);
});

test("the mode at the top and a misspelt compat are refused with what to do", () => {
  expect(refused('approval_mode = "ask"\n').findings[0]?.fix).toMatch(/compat = "radium"/);
  expect(refused('compat = "radum"\n').findings[0]?.fix).toBe("did you mean `radium`?");
});

test("former spellings load with a warning that has a place", () => {
  const file = parsePolicy('[[rules]]\nname = "a"\naction = "askuser"\ntool_pattern = "read_*"\napproval_mode = "autoedit"\n', {
    file: "p.toml",
  });
  expect(file.warnings.map(({ line, message, severity }) => [line, message, severity])).toEqual([
    [3, "Unexpected spelling `askuser`, expected `ask_user`", "warning"],
    [4, "Unexpected key `tool_pattern`, expected `tool`", "warning"],
    [5, "Unexpected spelling `autoedit`, expected `autoEdit`", "warning"],
  ]);
  expect(file.rules[0]?.source).toMatchObject({ effect: "ask_user", tool: "read_*", modes: ["autoEdit"] });
  expect(refused(toml([{ ...base, tool: "a", tool_pattern: "b" }])).findings[0]?.message).toMatch(/beside `tool`/);
});

test("a mistake under a former key is shown at that key", () => {
  expect(refused(toml([{ ...base, tool_pattern: "a[" }])).findings.find(({ severity }) => severity === "error")).toMatchObject({ line: 4 });
  expect(refused(toml([{ ...base, pattern: "a; b c" }])).findings[0]).toMatchObject({ line: 4 });
});

test("an allow of everything is a warning", () => {
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
  const tiers = (options: Parameters<typeof parsePolicy>[1]) => parsePolicy(text, options).rules.map(({ source }) => source.tier);
  test("grants at tier workspace at most, and tightens at any", () => {
    const file = parsePolicy(text, { file: "/w/p.toml", workspace: "/w" });
    expect(file.rules.map(({ source }) => source.tier)).toEqual(["workspace", "default", "admin"]);
    expect(file.warnings.map(({ line, column }) => [line, column])).toEqual([[5, 1]]);
  });
  test("is told by its real place", () => {
    expect(tiers({ file: "p.toml", origin: "/w/p.toml", workspace: "/w" })[0]).toBe("workspace");
    expect(tiers({ file: "/w/p.toml", workspace: "/w/" })[0]).toBe("workspace");
    expect(tiers({ file: "/wide/p.toml", workspace: "/w" })[0]).toBe("admin");
    expect(tiers({ file: "/w/p.toml" })[0]).toBe("admin");
  });
  test("keeps its tiers where the operator vouches for it", () => {
    expect(tiers({ file: "/w/p.toml", workspace: "/w", operator: true })[0]).toBe("admin");
  });
});

test("the text has limits, and meeting them costs nothing", () => {
  expect(refused("#".repeat(POLICY_LIMITS.characters + 1)).message).toMatch(/Unexpected policy of 4194305 characters/);
  const rules = Array.from({ length: POLICY_LIMITS.rules + 1 }, () => "[[rules]]\n").join("");
  expect(refused(rules).message).toMatch(/Unexpected 50001 rules, expected at most 50000/);
  expect(refused(`x = ${"[".repeat(5000)}`).message).toMatch(/Unexpected TOML/);
  expect(refused(`a.${"b.".repeat(5000)}c = 1`).message).toMatch(/Unexpected/);
});

test("a file that agents could write cannot let everything pass", () => {
  const text = 'default = "allow"\n';
  const inside = parsePolicy(text, { file: "/w/p.toml", workspace: "/w" });
  expect(inside.default).toBeUndefined();
  expect(inside.warnings).toMatchObject([{ line: 1, severity: "warning" }]);
  expect(parsePolicy(text, { file: "/w/p.toml", workspace: "/w", operator: true }).default).toBe("allow");
  expect(parsePolicy('default = "deny"\n', { file: "/w/p.toml", workspace: "/w" }).default).toBe("deny");
});

test("an empty policy loads and says nothing", () => {
  expect(parsePolicy("", { file: "p.toml" })).toMatchObject({ rules: [], warnings: [] });
  expect(parsePolicy("\uFEFF# nothing\r\n", { file: "p.toml" }).rules).toEqual([]);
});

test("values that TOML has and JSON has not are refused", () => {
  for (const value of ["1979-05-27", "nan", "inf", "9007199254740993"]) {
    expect(refused(`[[rules]]\nname = "r"\naction = "deny"\nargs = { a = { eq = ${value} } }\n`).code).toBe("BYLAW_POLICY_INVALID");
  }
});

test.each(["x.yaml", "x.yml", "x.json", "bylaw.config.ts"])("%s is no policy, and no broken TOML either", (file) => {
  expect(() => parsePolicy("rules:\n  - a\n", { file })).toThrow(`Unexpected file \`${file}\` that is not a policy, expected one in TOML`);
  expect(() => parsePolicy("rules:\n  - a\n", { file: "x.toml" })).toThrow(/Unexpected TOML/);
});

test.each(["approval_mode", "modes"])("a former spelling of a mode in `%s` is a warning", (key) => {
  const { warnings, rules } = parsePolicy(`[[rules]]\nname = "a"\naction = "deny"\n${key} = "autoedit"\n`, { file: "x.toml" });
  expect(warnings.map(({ message, line }) => [message, line])).toEqual([["Unexpected spelling `autoedit`, expected `autoEdit`", 4]]);
  expect(rules[0]?.source.modes).toEqual(["autoEdit"]);
});
