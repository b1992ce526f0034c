import { readCases } from "@bylaw/testing";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lintChecks, lintPolicies, parsePolicy, type LintFinding } from "../src/index.ts";

/** The code of a check, a policy in which it finds something, and a similar policy in which it finds nothing. */
const EXAMPLES = readCases<readonly [string, string, string]>(import.meta, "examples");

// This line separates the files of an example.
const SEPARATOR = /^# --- another file$/m;

const lint = (text: string): Promise<readonly LintFinding[]> =>
  lintPolicies(
    text
      .split(SEPARATOR)
      .map((part, at) => parsePolicy(part, { file: `${at}.toml`, operator: true })),
  );

/** Returns `code line` of each finding except hints. */
const linesOf = async (text: string): Promise<readonly string[]> =>
  (await lint(text))
    .filter(({ severity }) => severity !== "info")
    .map(({ code, line }) => `${code} ${line}`);

const messagesOf = async (text: string, code: string): Promise<readonly string[]> =>
  (await lint(text)).filter((finding) => finding.code === code).map(({ message }) => message);

const checks = await lintChecks();

test("each check has an example and a near miss", () => {
  expect(EXAMPLES.map(([code]) => code)).toEqual(checks.map(({ code }) => code));
});

describe.each(EXAMPLES)("%s", (code, fires, abstains) => {
  const severity = checks.find((check) => check.code === code)?.severity;

  test("reports its example at the right line", async () => {
    const found = (await lint(fires)).filter((finding) => finding.code === code);
    expect(found).not.toEqual([]);
    for (const { message, line, column, severity: weight } of found) {
      expect(message).toMatch(/^[^\n]{10,}$/);
      expect(weight).toBe(severity);
      expect(line).toBeGreaterThan(1);
      expect(column).toBeGreaterThan(0);
    }
  });

  test("reports nothing in its near miss", async () => {
    expect((await lint(abstains)).filter((finding) => finding.code === code)).toEqual([]);
  });

  test("has a row in docs/lint.md with its severity", () => {
    const page = readFileSync(new URL("../../../docs/lint.md", import.meta.url), "utf8");
    expect(page).toMatch(
      new RegExp(`^\\| \`${code}\` +\\| ${severity} +\\| [A-Z].{20,} \\|$`, "m"),
    );
  });
});

test("docs/lint.md names only codes that exist, and codes are unique", () => {
  const page = readFileSync(new URL("../../../docs/lint.md", import.meta.url), "utf8");
  const documented = Array.from(
    page.slice(page.indexOf("## What it finds")).matchAll(/^\| `([a-z_]+)` /gm),
    ([, code]) => code,
  );
  expect(documented).toEqual(checks.map(({ code }) => code));
});

describe("a deny is tested with the same line in other spellings", () => {
  const deny = (pattern: string, more = ""): string =>
    `[[rules]]\nname = "r"\naction = "deny"\nreason = "x"\n${pattern}\n${more}`;
  const ways = async (text: string): Promise<readonly string[]> =>
    (await messagesOf(text, "evaded_rule")).map(
      (message) => /written with (.*)$/.exec(message)?.[1] ?? message,
    );

  test.each([
    'command = "rm -rf *"',
    'command = ["git push --force *", "git clean -fd *"]',
    'command = "shutdown *"',
  ])("%s stands", async (pattern) => {
    expect(await linesOf(deny(pattern))).toEqual([]);
  });

  test("a `*` before an option is exactly one argument", async () => {
    const ways = await messagesOf(deny('command = "kubectl * --context prod* *"'), "evaded_rule");
    expect(ways).toEqual([
      "`kubectl x x --context prodx` gets ask_user instead of deny from rule `r`: it does the same, but is written with one more argument before its options",
    ]);
    expect(await linesOf(deny('command = "kubectl --context prod* *"'))).toEqual([]);
    expect(await linesOf(deny('command = "git -C * push --force *"'))).toEqual([]);
  });

  test("a pattern of exact words does not match one more argument", async () => {
    expect(await ways(deny('command = "rm -rf /"'))).toEqual(["one more argument"]);
    expect(await ways(deny('command = "reboot"'))).toEqual(["one more argument"]);
  });

  test("a regular expression does not match options in another order or form", async () => {
    const found = await ways(deny('command_regex = "rm -rf .*"'));
    expect(found).toContain("options apart");
    expect(found).toContain("options in another order");
    expect(found).toContain("long options");
    expect(found).toContain("options after the operands");
    expect(found).not.toContain("the program's full path");
    expect(found).not.toContain("sudo");
  });

  test.each(readCases<[string, string, string]>(import.meta, "programs"))(
    "the table of a program says how else %s is written",
    async (regex, way, line) => {
      const found = await messagesOf(deny(`command_regex = "${regex}"`), "evaded_rule");
      expect(
        found
          .filter((message) => message.endsWith(`written with ${way}`))
          .map((message) => /^`(.+?)`/.exec(message)?.[1]),
      ).toEqual([line]);
    },
  );

  test.each(readCases<string>(import.meta, "patterns-without-misses"))(
    "%s is written in no other way that it misses",
    async (pattern) => {
      expect(await ways(deny(pattern))).toEqual([]);
    },
  );

  test("the cases of a rule are tested too", async () => {
    const found = await messagesOf(
      deny('command_regex = "(?:x+y*)+|git push.* -f"', 'match = "git push origin -f"'),
      "evaded_rule",
    );
    expect(
      found.some(
        (message) =>
          message.includes("`git push -f origin`") || message.includes("`git push origin --force`"),
      ),
    ).toBe(true);
  });

  test("an evasion that another rule of the file catches is no finding", async () => {
    const other =
      '[[rules]]\nname = "all"\naction = "deny"\nreason = "x"\ncommand = "rm *"\nphase = "PLAN"\n';
    expect(await ways(deny('command_regex = "rm -rf .*"', `phase = "PLAN"\n${other}`))).toEqual([]);
  });

  test("an ask is tested in the same way, and only an allow is weaker than an ask", async () => {
    const text = `
[[rules]]
name = "ask"
action = "ask_user"
command = "git push"
[[rules]]
name = "git"
action = "allow"
command = "git push *"
`;
    expect(await linesOf(text)).toContain("evaded_to_allow 5");
    expect(await linesOf(text.slice(0, text.lastIndexOf("[[rules]]")))).toEqual([]);
  });

  test("a path argument is compared by the file that it names", async () => {
    const byText = 'tool = "write_file"\nargs = { path = { eq = "package-lock.json" } }';
    expect(await ways(deny(byText))).toEqual([
      "a dot in the path",
      "`..` in the path",
      "a doubled slash",
    ]);
    expect(await ways(deny('paths = { write = "package-lock.json" }'))).toEqual([]);
  });

  test("a rule that a higher tier overrides on purpose is not reported", async () => {
    const over =
      '[[rules]]\nname = "o"\npriority = "user"\naction = "allow"\ncommand = "rm -rf *"\n';
    expect(await ways(deny('command = "rm -rf /"', over))).toEqual([]);
  });
});

describe("an allow must say where its wildcards end", () => {
  const allow = (word: string): string =>
    `[[rules]]\nname = "r"\naction = "allow"\ncommand = "${word}"\n`;

  test.each(readCases<[string, string]>(import.meta, "should-be"))(
    "`%s` should be %s",
    async (pattern, wanted) => {
      const found = (await lint(allow(pattern))).filter(
        ({ code }) => code === "misplaced_wildcard",
      );
      expect(found.map(({ fix }) => fix?.includes(wanted))).toEqual([true]);
    },
  );

  test.each(readCases<string>(import.meta, "clear"))("`%s` is clear", async (pattern) => {
    expect(await messagesOf(allow(pattern), "misplaced_wildcard")).toEqual([]);
  });

  test("a deny may match more than its pattern seems to", async () => {
    const deny = allow("curl https://*example.net*").replace("allow", "deny");
    expect(await messagesOf(deny, "misplaced_wildcard")).toEqual([]);
  });
});

test.each(readCases<[string, string, string]>(import.meta, "vague-regexes"))(
  "an %s by `%s` says too little of its arguments",
  async (action, regex, wanted) => {
    const text = `[[rules]]\nname = "r"\naction = "${action}"\nreason = "x"\ncommand_regex = "${regex}"\n`;
    expect(await messagesOf(text, "open_regex")).toEqual([expect.stringContaining(wanted)]);
  },
);

test.each(readCases<[string, string]>(import.meta, "exact-regexes"))(
  "an %s by `%s` says enough",
  async (action, regex) => {
    const text = `[[rules]]\nname = "r"\naction = "${action}"\nreason = "x"\ncommand_regex = "${regex}"\n`;
    expect(await messagesOf(text, "open_regex")).toEqual([]);
  },
);

test("removing a rule by `without` does not move the positions of other rules", async () => {
  const text =
    '[[rules]]\nname = "a"\naction = "deny"\nreason = "x"\ntool = "a"\n[[rules]]\nname = "b"\naction = "deny"\ntool = "b"\n';
  const file = parsePolicy(text, { file: "p.toml" });
  const found = await lintPolicies([
    { ...file, rules: file.rules.filter(({ source }) => source.name !== "a") },
  ]);
  expect(found.map(({ code, line }) => [code, line])).toEqual([["missing_reason", 7]]);
});

test("warnings of loading are findings too, and findings are in the order of files and lines", async () => {
  const found = await lint(`[[rules]]
name = "late"
action = "deny"
tool = "x"
[[rules]]
name = "all"
action = "allow"
# --- another file
[[rules]]
name = "old"
action = "askuser"
tool = "y"
`);
  expect(found.map(({ file, line, severity }) => `${file}:${line} ${severity}`)).toEqual([
    "0.toml:2 info",
    "0.toml:7 warning",
    "1.toml:4 warning",
  ]);
});

test("rules with a condition are not sampled", async () => {
  const text = `
[[rules]]
name = "r"
action = "deny"
reason = "x"
command = "rm -rf /"
when = { all = [{ fact = "claims", path = "$.role", operator = "equal", value = "dev" }] }
`;
  expect(await linesOf(text)).toEqual([]);
});

test("files with `compat` are not linted by Bylaw's checks", async () => {
  expect(
    await lint('compat = "radium"\n[[rules]]\nname = "r"\naction = "allow"\ntool_pattern = "*"\n'),
  ).toEqual([]);
});

test("lint uses an index for thousands of rules about one tool", async () => {
  const rules = Array.from(
    { length: 8000 },
    (_, at) => `[[rules]]\nname = "r${at}"\naction = "allow"\ncommand = "prog${at} sub *"\n`,
  );
  const last = '[[rules]]\nname = "z"\naction = "deny"\nreason = "x"\ncommand = "prog7 *"\n';
  expect(await linesOf(rules.join("") + last)).toEqual(["shadowed_rule 30"]);
});

describe("further findings and near misses", () => {
  const rule = (text: string): string => `[[rules]]\nname = "r"\nreason = "x"\n${text}\n`;
  test.each(readCases<[string, string, string[]]>(import.meta, "near-misses"))(
    "%s",
    async (_, text, wanted) => {
      expect(await linesOf(rule(text))).toEqual(wanted);
    },
  );

  test("with a default of deny, no second deny is needed", async () => {
    expect(
      await linesOf(
        `default = "deny"\n${rule('action = "deny"\ntool = "bash"\ncommand = "rm -rf /"')}`,
      ),
    ).toEqual([]);
  });
});

test("a message is one line, whatever the name of the rule contains", async () => {
  const [message = ""] = await messagesOf(
    '[[rules]]\nname = "a\\nb\\u001b[2K"\naction = "deny"\ntool = "x"\n',
    "missing_reason",
  );
  expect(message).toContain("`a\\u000ab\\u001b[2K`");
});

describe("an allow of reading anywhere", () => {
  const rule = (keys: string): string => `[[rules]]\nname = "r"\naction = "allow"\n${keys}\n`;
  const broad = async (keys: string): Promise<readonly LintFinding[]> =>
    (await lint(rule(keys))).filter(({ code }) => code === "broad_allow");

  test.each(readCases<string>(import.meta, "warning-names"))(
    "%s is a warning that names `./**`",
    async (keys) => {
      expect(await broad(keys)).toMatchObject([
        {
          severity: "warning",
          message: expect.stringMatching(/This allows reading anywhere/),
          fix: expect.stringContaining("`./**`"),
        },
      ]);
    },
  );
  test.each([
    'paths = { read = ["./**"] }',
    'paths = { read = "src/**" }',
    'tool = "read_file"\npaths = "~/notes/**"',
  ])("%s is not reported", async (keys) => expect(await broad(keys)).toEqual([]));
  test("together with a tool that writes, it allows writing anywhere", async () => {
    expect(await broad('tool = "write_file"\npaths = "**"')).toMatchObject([
      { message: expect.stringMatching(/writing anywhere/) },
    ]);
  });
});

test("a file without rules gets a hint", async () => {
  for (const text of ["", 'default = "deny"\n', "rules = []\n", 'compat = "gemini"\n']) {
    expect(await lint(text)).toMatchObject([
      { code: "no_rules", severity: "info", line: 1, column: 1 },
    ]);
  }
  expect(
    (await lint('[[rules]]\nname = "r"\naction = "allow"\ntool = "x"\n')).map(({ code }) => code),
  ).not.toContain("no_rules");
});

test("only the file itself is reported for overriding rules beside it", async () => {
  const load = (text: string, file: string) => parsePolicy(text, { file, operator: true });
  const beside = [
    load(
      '[[rules]]\nname = "no-force"\naction = "deny"\ncommand = "git push --force *"\n',
      "base.toml",
    ),
  ];
  const push = (more: string): string =>
    `[[rules]]\nname = "push"\naction = "allow"\n${more}\ncommand = ["git push *", "git push --force *"]\n`;
  const found = async (more: string): Promise<readonly LintFinding[]> =>
    (await lintPolicies([load(push(more), "own.toml")], { beside })).filter(
      ({ severity }) => severity !== "info",
    );
  expect(await found('priority = "user"')).toMatchObject([
    {
      code: "lifted_rule",
      file: "own.toml",
      line: 4,
      message:
        "The rule `push` lifts `no-force` (base.toml:1): `git push --force` gets allow instead of deny",
      fix: "Narrow `push`, or remove its `priority`, which is `user`",
    },
  ]);
  expect(await found("")).toEqual([]);
  expect(await found('priority = "user"\nshadow = true')).toEqual([]);
});

test("an allow overrides a deny only beside an ask of a higher priority", async () => {
  const rule = (name: string, more: string) =>
    `[[rules]]\nname = "${name}"\ncommand = "x"\n${more}\n`;
  const all = (names: string) =>
    rule("ask-x", 'priority = "workspace"\naction = "ask_user"') +
    rule("no-x", 'action = "deny"') +
    rule("mine", `priority = "workspace"\naction = "allow"\noverrides = [${names}]`);
  expect(await messagesOf(all('"ask-x", "no-x"'), "overrides_nothing")).toEqual([]);
  expect(await messagesOf(all('"no-x"'), "overrides_nothing")).toEqual([
    "The rule `mine` overrides no rule `no-x`: it is a deny, and no ask of a higher priority is named beside it",
  ]);
});

test("overridden paths and tools are found too, and an ask that overrides a deny", async () => {
  const lifted = (strict: string, weak: string): Promise<readonly string[]> =>
    messagesOf(
      `[[rules]]\nname = "no"\naction = "deny"\n${strict}\n[[rules]]\nname = "yes"\npriority = "admin"\n${weak}\n`,
      "lifted_rule",
    );
  expect(
    await lifted(
      'paths = "/srv/**"',
      'action = "allow"\ntool = "read_file"\npaths = "/srv/data/*"',
    ),
  ).toEqual([
    expect.stringMatching(
      /^The rule `yes` lifts `no` \(0\.toml:1\): `\/srv\/.*` gets allow instead of deny$/,
    ),
  ]);
  expect(await lifted('tool = "send_mail"', 'action = "ask_user"\ntool = "send_*"')).toEqual([
    "The rule `yes` lifts `no` (0.toml:1): `send_mail` gets ask_user instead of deny",
  ]);
  expect(await lifted('tool = "send_mail"', 'action = "allow"\ntool = "read_mail"')).toEqual([]);
});
