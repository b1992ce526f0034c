import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { run } from "./calls.ts";
import { imported } from "./imported.ts";

const codex = (text: string) => imported("codex", text);
const RULES = `# what may leave
prefix_rule(
    pattern = ["git", ["push", "fetch"]],  # alternatives
    decision = "prompt",
    justification = "leaves the machine",
    match = [["git", "push", "origin", "main"], "git fetch"],
    not_match = ["git status"],
)
prefix_rule(pattern = ['git', 'reset', '--hard'], decision = 'forbidden', justification = """Use
  a branch""")
prefix_rule(pattern = [["git", "jj"], ["status", "log"]],)
prefix_rule(pattern = ["git"], decision = "prompt")
`;

describe("prefix rules", () => {
  test.each(readCases<[string, string]>(import.meta, "strictest"))(
    "the strictest that matches decides: `%s` is %s",
    async (command, wanted) => {
      const { effectOf, report } = await codex(RULES);
      expect(effectOf(run(command))).toBe(wanted);
      expect(report).toEqual([]);
    },
  );
  test("justification, cases and positions are carried over", async () => {
    const { toml, pool } = await codex(RULES);
    expect(toml).toContain(
      '# source-1:2: prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt")',
    );
    expect(toml).toContain('match = ["git push origin main", "git fetch"]');
    expect(toml).toContain('not_match = ["git status"]');
    expect(pool.evaluate(run("git reset --hard"))?.[0]?.reason).toBe("Use a branch");
    expect(pool.rules.map(({ name }) => name)).toEqual([
      "allow-git-jj-status-log",
      "ask-git",
      "ask-git-push-fetch",
      "ask-lines-that-are-not-plain",
      "ask-lines-that-are-not-plain-2",
      "deny-git-reset-hard",
    ]);
  });
  test("a case that fails in Bylaw is left out and reported, because a deny matches more than in Codex", async () => {
    const { toml, report, findings } = await codex(
      'prefix_rule(pattern=["rm", "-rf"], decision="forbidden", match=["rm -rf x"], not_match=["rm -fr x", "rm x"])',
    );
    expect(toml).toContain('not_match = ["rm x"]');
    expect(report).toEqual(["stricter 1:1"]);
    expect(findings[0]?.message).toContain('"rm -fr x"');
  });
  test("words with a special meaning in patterns are escaped", async () => {
    const { effectOf } = await codex('prefix_rule(pattern=["foo", "*", "[a]", "a?!"])');
    expect(effectOf(run("foo '*' '[a]' 'a?!'"))).toBe("allow");
    expect(effectOf(run("foo x a abc"))).toBe("ask_user");
  });
  test("an allow with a word that no pattern can contain is lost; a deny then covers the words before it", async () => {
    const { effectOf, report } = await codex(
      'prefix_rule(pattern=["echo", "a b"])\nprefix_rule(pattern=["git", "commit", "-m", "a b"], decision="forbidden")\nprefix_rule(pattern=["$X", "y"], decision="prompt")\nprefix_rule(pattern=["make", "{x}"], decision="forbidden")',
    );
    expect(effectOf(run("git commit -m x"))).toBe("deny");
    expect(effectOf(run("git status"))).toBe("ask_user");
    expect(effectOf(run("make x"))).toBe("deny");
    expect(report).toEqual(["lost 1:1", "stricter 2:1", "stricter 3:1", "stricter 4:1"]);
  });
});

test.each(readCases<[string, string]>(import.meta, "lines"))(
  "a line that Codex does not split: `%s` is %s",
  async (command, wanted) => {
    const { effectOf } = await codex(
      'prefix_rule(pattern=["git", "status"])\nprefix_rule(pattern=["rg"])\nprefix_rule(pattern=["rm"], decision="forbidden")',
    );
    expect(effectOf(run(command))).toBe(wanted);
  },
);

describe("host_executable", () => {
  const text = `host_executable(name = "git", paths = ["/opt/bin/git", "/usr/bin/git", "~/bin/git"])
prefix_rule(pattern = ["git", "status"])
prefix_rule(pattern = ["ls"])`;
  test.each(readCases<[string, string]>(import.meta, "program-paths"))(
    "names the paths at which a program may be allowed: `%s` is %s",
    async (command, wanted) => {
      expect((await codex(text)).effectOf(run(command))).toBe(wanted);
    },
  );
});

describe("a statement that is no literal call", () => {
  test.each(readCases<[string, number, number]>(import.meta, "findings"))(
    "is a finding with its place and is never run: %s",
    async (text, line, column) => {
      const { effectOf, findings } = await codex(`${text}\nprefix_rule(pattern = ["ls"])`);
      expect(findings[0]).toMatchObject({ severity: "lost", line, column });
      expect(findings[0]?.message).toMatch(/^.+; the import reads only calls with literal strings/);
      // The lost statement may have been a deny, so nothing is allowed.
      expect(effectOf(run("ls"))).toBe("ask_user");
    },
  );
  test.each(readCases<string>(import.meta, "denied"))(
    "what may have denied and cannot be carried over puts every allow in doubt: %s",
    async (text) => {
      const { effectOf, findings } = await codex(`${text}\nprefix_rule(pattern = ["ls"])`);
      expect(effectOf(run("ls"))).toBe("ask_user");
      expect(findings.map(({ severity }) => severity)).toEqual(["lost", "stricter"]);
    },
  );
  test.each([
    'prefix_rule(pattern=[], decision="allow")',
    'prefix_rule(pattern=["a"], when="x")',
    'network_rule(host="a.com", decision="allow")',
  ])("an allow that cannot be carried over affects no other rule: %s", async (text) => {
    const { effectOf, report } = await codex(`${text}\nprefix_rule(pattern = ["ls"])`);
    expect(effectOf(run("ls"))).toBe("allow");
    expect(report).toEqual(["lost 1:1"]);
  });
  test("a file of 20,000 lines does not take quadratic time", async () => {
    const { findings } = await codex(
      Array.from({ length: 20_000 }, (_, at) => `x${at} = 1`).join("\n"),
    );
    expect(findings).toHaveLength(20_000);
  });
});
