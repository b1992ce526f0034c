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
    [{ acton: "deny" }, "Unknown key `acton`", "Did you mean `action`?"],
    [{ tol: "x" }, "Unknown key `tol`", "Did you mean `tool`?"],
    [{ commandPrefix: "git" }, /^Unknown key `commandPrefix`/, /`command/],
    [
      { action: "allwo" },
      "`action` must be one of allow, deny, ask_user, not `allwo`",
      "Did you mean `allow`?",
    ],
    [{ action: "ask" }, /`action` must be .+, not `ask`/, "Did you mean `ask_user`?"],
    [{ priority: "amdin" }, /`priority` must be .+, not `amdin`/, "Did you mean `admin`?"],
    [{ modes: ["yollo"] }, /`modes` must be one of ask, autoEdit, yolo/, "Did you mean `yolo`?"],
    [
      { approval_mode: "auto" },
      /`approval_mode` must be one of ask, autoEdit, yolo, not `auto`/,
      undefined,
    ],
    [{ tool: "" }, /`tool` must be .+, not empty text/, undefined],
    [{ tool: "a||b" }, /^`a\|\|b` has an empty alternative/, undefined],
    [{ tool: "a[b" }, /has a `\[` without `\]`/, /itself/],
    [
      { tool: "a[^b]" },
      /`a\[\^b\]` uses `\[\^`\. Write `\[!` for characters not in the class/,
      undefined,
    ],
    [{ tool: "[z-a]" }, /range/, undefined],
    [{ tool: "a\\" }, /`a\\` ends in a backslash/, undefined],
    [
      { tool: "{a,\\*}" },
      /`\{a,\\\*\}` mixes braces with a quote, dollar sign or backslash/,
      undefined,
    ],
    [{ tool: "{1..9}" }, /range/, undefined],
    [
      { tool: "{a,b}".repeat(9) },
      /`\{a,b\}\{a,b\}\{a,b\}\{a,b\}\{a,b\}\{a,b\}\{a,b\}\{a,b\}\{a,b\}` has too many braces/,
      undefined,
    ],
    [
      { tool: "{a,b,c,d,e,f,g,h,i,j}{a,b,c,d,e,f,g,h,i,j}{a,b,c,d,e,f,g,h,i,j}{a,b}" },
      /`\{a,b,c,d,e,f,g,h,i,j\}\{a,b,c,d,e,f,g,h,i,j\}\{a,b,c,d,e,f,g,h,i,j\}\{a,b\}` has more than 1000 /,
      undefined,
    ],
    [{ tool: "x".repeat(4097) }, /4097 characters/, undefined],
    [{ tool: 3 }, "`tool` must be a tool name or glob, not `3`", undefined],
    [{ tool: ["a"] }, "`tool` must be a tool name or glob, not a list", undefined],
    [{ command: [] }, /`command` must be .+, not an empty list/, undefined],
    [{ command: " " }, /The command pattern is empty/, undefined],
    [
      { command: "a; b" },
      /The command pattern `a; b` has shell syntax\. Write plain words/,
      /one pattern for each/,
    ],
    [{ command: "git 'status'" }, /shell syntax/, undefined],
    [{ command: "bin/" }, /`bin\/` names a folder instead of a program/, undefined],
    [
      { tool: "read_file", command: "ls" },
      /^`command` needs a tool that runs a shell line, and `read_file` is none/,
      /run_shell_command/,
    ],
    [
      { tool: "read_file", command_regex: "ls" },
      /^`command_regex` needs a tool that runs a shell line, and `read_file` is none/,
      undefined,
    ],
    [{ command_regex: "(?=a)b" }, /` is not a regular expression of RE2: /, /look-around/],
    [{ command_regex: "(a)\\1" }, /` is not a regular expression of RE2: /, /back-references/],
    [{ command_regex: "(" }, /` is not a regular expression of RE2: /, undefined],
    [
      { command_regex: "" },
      /`command_regex` must be a regular expression that is not empty, not empty text/,
      undefined,
    ],
    [{ args: { a: { regex: "[" } } }, /` is not a regular expression of RE2: /, undefined],
    [{ args: {} }, /`args` is empty\. Write at least one condition/, undefined],
    [
      { args: { a: {} } },
      /The condition on `a` is empty\. Write one like `\{ eq = "x" \}`/,
      undefined,
    ],
    [
      { args: { a: "GET" } },
      /`a` must be a condition like `\{ eq = "GET" \}`, not `GET`/,
      undefined,
    ],
    [{ args: { a: { equals: 1 } } }, /^Unknown key `equals`/, undefined],
    [{ args: { a: { eqq: 1 } } }, "Unknown key `eqq`", "Did you mean `eq`?"],
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
    [{ args: { a: { type: "text" } } }, /`type` must be one of string/, undefined],
    [{ args: { a: { url_prefix: "example.com" } } }, /is not a URL like/, undefined],
    [
      { args: { a: { url_prefix: "https://u:p@example.com/" } } },
      /user, query or fragment/,
      undefined,
    ],
    [
      { args: { a: { url_prefix: "https://example.com/?q=1" } } },
      /user, query or fragment/,
      undefined,
    ],
    [{ paths: {} }, /`paths` is empty\. Write `read`, `write` or both/, undefined],
    [{ paths: "!src" }, /negation/, undefined],
    [{ paths: "src/../x" }, /`\.\.`/, "Write the absolute path"],
    [
      { paths: "src/" },
      /`src\/` has an empty or `\.` part between two slashes/,
      "For everything below a folder write `src/**`",
    ],
    [{ paths: "a**b/c" }, /`\*\*` in `a\*\*b\/c` must stand alone between two slashes/, undefined],
    [{ paths: "@(a|b)" }, /extended glob/, undefined],
    [{ paths: "src/(a|b)" }, /extended glob/, undefined],
    [{ paths: "a\\b" }, /backslash/, undefined],
    [{ paths: "~root/x" }, /`~root\/x`/, undefined],
    [{ paths: { reed: ["x"] } }, /^Unknown key `reed`/, "Did you mean `read`?"],
    [
      { tool: "read_file", network: "a.example" },
      /`network` needs a tool that opens a URL/,
      /web_fetch/,
    ],
    [
      { network: "bü*.example" },
      /`bü\*` in `network` is not part of a host name/,
      /label of its own/,
    ],
    [
      { tool: "web_fetch", network: "https://a.example/x" },
      /`https:\/\/a\.example\/x` in `network` is not a host like `api\.example\.com` or `\*\.example\.com`/,
      /url_prefix/,
    ],
    [
      { tool: "web_fetch", network: "A.example" },
      /The host `A\.example` has capital letters/,
      undefined,
    ],
    [{ when: { all: [] } }, /`all` must be .+, not an empty list/, undefined],
    [
      { final: true, action: "allow", tool: "x" },
      /Only a deny or an ask_user rule can be `final`/,
      undefined,
    ],
    [{ pattern: "a", tool: "b" }, /Use `pattern` or `tool`, not both/, undefined],
    [
      { modes: ["ask"], approval_mode: "ask" },
      /Use `modes` or `approval_mode`, not both/,
      undefined,
    ],
    [
      { modes: [] },
      /`modes` must be Too small: expected array to have >=1 items, not an empty list/,
      undefined,
    ],
    [{ interactive: "yes" }, "`interactive` must be true or false, not `yes`", undefined],
    [{ arg_pattern: "x" }, /^`arg_pattern` is not supported/, /compat = "radium"/],
    [
      { tool: "read_*", match: ["write_file"] },
      "The rule `r` does not match `write_file`, and `match` says that it does",
      undefined,
    ],
    [{ tool: "read_*", not_match: "read_file" }, /matches `read_file`, and `not_match`/, undefined],
    [
      { command: "git push *", match: ["git pull"] },
      /does not match `git pull`, and `match`/,
      undefined,
    ],
    [
      { command: "ls *", action: "allow", match: ["ls; id"] },
      /does not match `ls; id`, /,
      undefined,
    ],
    [
      { command: "ls *", action: "allow", match: ["ls; $X"] },
      /does not match `ls; \$X` \(command name `\$X`\)/,
      undefined,
    ],
    [
      { tool: "http_request", action: "allow", paths: "src/**" },
      /The path arguments of `http_request` are not known, so an allow cannot depend on `paths`/,
      /`tools`/,
    ],
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
  expect(findings.map(({ line }) => line)).toEqual([1, 2, 4, 5, 7, 9, 10]);
  expect(message).toBe(
    "p.toml:1:11: `default` must be one of allow, deny, ask_user, not `alow` (and 6 more)".replace(
      "1:11",
      "1:1",
    ),
  );
  expect(source).toEqual({ file: "p.toml", line: 1, column: 1 });
});

test("a file of gemini-cli is told from one with mistakes: one finding that says what reads it", () => {
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

test("names are unique in a file, and the message names the first", () => {
  expect(refused(toml([base, base])).findings[0]).toMatchObject({
    line: 5,
    message: expect.stringContaining("named `r`, on line 1"),
  });
});

test("unknown keys at the top are refused", () => {
  expect(refused('defautl = "deny"\n').findings[0]).toMatchObject({
    fix: "Did you mean `default`?",
  });
  expect(refused('[[rule]]\nname = "x"\n').findings[0]?.message).toMatch(/^Unknown key `rule`/);
  expect(refused('rules = "x"\n').findings[0]?.message).toMatch(
    /`rules` must be an array of tables, `\[\[rules\]\]`, not `x`/,
  );
  expect(refused("rules = [1]\n").findings[0]?.message).toMatch(/must be a table/);
});

test("the mode at the top and a misspelt compat are refused with what to do", () => {
  expect(refused('approval_mode = "ask"\n').findings[0]?.fix).toMatch(/compat = "radium"/);
  expect(refused('compat = "radum"\n').findings[0]?.fix).toBe("Did you mean `radium`?");
});

test("former spellings load with a warning that has a place", () => {
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

test("a mistake under a former key is shown at that key", () => {
  expect(
    refused(toml([{ ...base, tool_pattern: "a[" }])).findings.find(
      ({ severity }) => severity === "error",
    ),
  ).toMatchObject({ line: 4 });
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
  const tiers = (options: Parameters<typeof parsePolicy>[1]) =>
    parsePolicy(text, options).rules.map(({ source }) => source.tier);
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
  expect(refused("#".repeat(POLICY_LIMITS.characters + 1)).message).toMatch(
    /The policy has 4194305 characters/,
  );
  const rules = Array.from({ length: POLICY_LIMITS.rules + 1 }, () => "[[rules]]\n").join("");
  expect(refused(rules).message).toMatch(/The policy has 50001 rules; the limit is 50000/);
  expect(refused(`x = ${"[".repeat(5000)}`).message).toMatch(/The TOML cannot be read/);
  expect(refused(`a.${"b.".repeat(5000)}c = 1`).message).toMatch(
    /p\.toml:1:1: Unknown key `a`\. Known keys: default, compat, rules/,
  );
});

test("a file that agents could write cannot let everything pass", () => {
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

test("an empty policy loads and says nothing", () => {
  expect(parsePolicy("", { file: "p.toml" })).toMatchObject({ rules: [], warnings: [] });
  expect(parsePolicy("\uFEFF# nothing\r\n", { file: "p.toml" }).rules).toEqual([]);
});

test("values that TOML has and JSON has not are refused", () => {
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
    expect(() => parsePolicy("rules:\n  - a\n", { file: "x.toml" })).toThrow(
      /The TOML cannot be read/,
    );
  },
);

test.each(["approval_mode", "modes"])("a former spelling of a mode in `%s` is a warning", (key) => {
  const { warnings, rules } = parsePolicy(
    `[[rules]]\nname = "a"\naction = "deny"\n${key} = "autoedit"\n`,
    { file: "x.toml" },
  );
  expect(warnings.map(({ message, line }) => [message, line])).toEqual([
    ["`autoedit` is an old spelling of `autoEdit`", 4],
  ]);
  expect(rules[0]?.source.modes).toEqual(["autoEdit"]);
});
