import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const allow = (command: string | readonly string[], more: RuleData = {}): RuleData => ({
  action: "allow",
  command,
  ...more,
});
const deny = (command: string | readonly string[], more: RuleData = {}): RuleData => ({
  action: "deny",
  command,
  ...more,
});
const rules = [
  allow(["git *", "ls *", "cat *", "echo *"]),
  deny("rm -rf *"),
  { action: "ask_user", command: "npm publish *" },
];

describe("words that only bash knows", () => {
  const compares = [allow(["test *", "\\[ *"])];
  test.each(['[ -n "$x" ]', 'test -z "$x"', '[ "$x" = a ]', 'test "$x" != "$y"'])(
    "may be any text where they are only compared: %s",
    (line) => expect(effectOf(compares, run(line))).toBe("allow"),
  );
  test.each(readCases<string>(import.meta, "unclear-tests"))(
    "may be an option of `test` elsewhere: %s",
    (line) => expect(effectOf(compares, run(line))).not.toBe("allow"),
  );
});

describe("a command that reads folders recursively", () => {
  const kept = readCases<RuleData>(import.meta, "kept");

  test.each(readCases<string>(import.meta, "searches-for-denied-files"))(
    "that is for the files of a deny is asked about: %s",
    (line) => {
      expect(verdictOf(kept, run(line))).toBe("ask_user unknown_path");
    },
  );

  test.each(readCases<string>(import.meta, "other-searches"))(
    "that is for others is allowed: %s",
    (line) => {
      expect(verdictOf(kept, run(line))).toBe("allow rule_allowed r0");
    },
  );

  const inside = [allow(["cp *", "ls *", "grep *", "rg *", "tree *"], { paths: "/w/**" })];
  test.each(readCases<string>(import.meta, "lines-through-links"))(
    "that goes where links lead is no place that an allow names: %s",
    (line) => {
      expect(effectOf(inside, run(line))).not.toBe("allow");
      expect(effectOf([allow(["cp *", "ls *", "grep *", "rg *", "tree *"])], run(line))).toBe(
        "allow",
      );
    },
  );
  test.each(["cp -r a b", "cp -L a b", "ls -R a", "ls -lL a", "grep -r x a", "rg x a", "tree a"])(
    "that stays below is: %s",
    (line) => {
      expect(effectOf(inside, run(line))).toBe("allow");
    },
  );
});

describe("a line that may create links in the tree", () => {
  const inside = [
    allow(["git *", "cat *", "echo *", "tee *", "npm test"], { paths: "/w/**" }),
    { action: "deny", paths: ["**/.env", "/etc/**"] } as const,
  ];
  test.each(readCases<string>(import.meta, "lines-that-bring-links"))("%s", (line) => {
    expect(effectOf(inside, run(line))).not.toBe("allow");
  });
  test.each(["git switch other && cat notes", "git pull && cat a | tee link/file"])(
    "also where no rule names files: %s",
    (line) => {
      expect(effectOf([allow(["git *", "cat *", "tee *"])], run(line))).toBe("ask_user");
    },
  );
  test.each(readCases<string>(import.meta, "lines-without-links"))("and uses none: %s", (line) => {
    const kept = [
      allow(["git *", "cat *", "npm test"]),
      { action: "deny", paths: ["**/.env", "/etc/**"] } as const,
    ];
    expect(verdictOf(kept, run(line))).toBe("allow rule_allowed r0");
  });
  test("is denied according to its words", () => {
    expect(verdictOf(inside, run("git pull && cat .env"))).toBe("deny rule_denied r1");
  });
});

describe("the effect of a line is the strictest of its commands", () => {
  test.each(readCases<[string, string]>(import.meta, "strictest"))("%s: %s", (line, verdict) =>
    expect(verdictOf(rules, run(line))).toBe(verdict),
  );

  test("tiers decide each command, and a final rule holds for each", () => {
    const tiers = [
      allow("git *", { priority: "user" }),
      deny("git push *"),
      { action: "ask_user", command: "git pull *", final: true },
      deny("make *", { priority: "admin" }),
    ];
    expect(verdictOf(tiers, run("git push; git status"))).toBe("allow rule_allowed r0");
    expect(verdictOf(tiers, run("git push; git pull"))).toBe("ask_user rule_asked r2");
    expect(verdictOf(tiers, run("git push; make"))).toBe("deny rule_denied r3");
  });
  test("the named rule is the first by name among the strictest", () => {
    const two = [deny("rm *", { name: "b" }), deny("dd *", { name: "a" })];
    expect(verdictOf(two, run("rm x; dd if=y"))).toBe("deny rule_denied a");
    expect(verdictOf(two, run("dd if=y; rm x"))).toBe("deny rule_denied a");
  });
  test("a rule in shadow is reported once, whatever the number of commands that it matches", () => {
    const pool = compilePolicy([
      policyOf([{ name: "s", action: "deny", command: "ls *", shadow: true }]),
    ]);
    expect(pool.evaluate(run("ls; ls -l; ls"))).toMatchObject([
      { effect: "deny", shadow: true, rule: { name: "s" } },
    ]);
  });
  test("a rule about the tool alone covers every command, and also a line without one", () => {
    expect(effectOf([{ action: "deny", tool: "bash" }], call("bash", { command: "" }))).toBe(
      "deny",
    );
    expect(
      effectOf([{ action: "allow", tool: "bash" }], call("bash", { command: "ls; pwd" })),
    ).toBe("allow");
    expect(effectOf([{ action: "allow", tool: "bash" }], call("bash", { command: " " }))).toBe(
      "ask_user",
    );
    expect(effectOf([{ action: "allow", tool: "bash" }], call("bash", { command: "# ls" }))).toBe(
      "allow",
    );
    expect(effectOf([{ action: "allow", command: "ls" }], call("bash", { command: "# ls" }))).toBe(
      "abstain",
    );
  });
  test("thousands of commands return a decision", () => {
    const line = `${"echo a;".repeat(1500)}rm -rf x`;
    expect(effectOf(rules, run(line))).toBe("deny");
  });
});

describe("commands that an allow does not cover", () => {
  test.each(readCases<string>(import.meta, "not-covered"))("%s", (line) =>
    expect(effectOf(rules, run(line))).not.toBe("allow"),
  );
  test.each(readCases<string>(import.meta, "not-allowed"))("but %j", (line) =>
    expect(effectOf(rules, run(line))).toBe("allow"),
  );
  test("only a wildcard word covers an unknown word", () => {
    expect(effectOf([allow("frob * main")], run('frob "x$Y" main'))).toBe("allow");
    expect(effectOf([allow("frob x* main")], run('frob "x$Y" main'))).toBe("abstain");
    expect(effectOf([{ action: "allow", command_regex: "cat .*" }], run('cat "src/$X"'))).toBe(
      "abstain",
    );
  });
});

describe("a deny that may match", () => {
  test.each(readCases<[string, string]>(import.meta, "doubtful-denies"))(
    "%s: %s",
    (line, verdict) => {
      expect(verdictOf(rules, run(line))).toBe(verdict);
      if (verdict.includes("unknown"))
        expect(verdictOf(rules, run(line), { default: "deny" })).toBe("deny unknown_command");
    },
  );
  test("counts only if the rule would decide", () => {
    const above = allow("rm *", { priority: "admin" });
    expect(effectOf([above, deny("rm -rf *")], run('rm "a$X"'))).toBe("allow");
    expect(effectOf([above, deny("rm a*")], run('rm "a$X"'))).toBe("allow");
    expect(effectOf([above, deny("rm ab", { final: true })], run('rm "a$X"'))).toBe("ask_user");
    expect(effectOf([above, deny("rm ab", { final: true, shadow: true })], run('rm "a$X"'))).toBe(
      "allow",
    );
    expect(effectOf([above, deny("rm b", { final: true })], run('rm "a$X"'))).toBe("allow");
  });
  test("of a regular expression, as far as its literal start and end are known", () => {
    const regex: RuleData = { action: "deny", command_regex: "(git|hg) push( .*)?" };
    expect(verdictOf([regex], run("git $X"))).toBe("ask_user unknown_command");
    expect(verdictOf([regex], run("make $X"))).toBe("abstain");
    expect(
      verdictOf([{ action: "deny", command_regex: "git push .*main" }], run('git push "$X" other')),
    ).toBe("abstain");
    expect(
      verdictOf([{ action: "deny", command_regex: "git push .*main" }], run('git push "$X" main')),
    ).toBe("ask_user unknown_command");
  });
});

describe("files of a line", () => {
  const files: readonly RuleData[] = [
    allow(["cat *", "ls *", "cp *", "cd *", "grep *"], { paths: "/w/**" }),
    { action: "deny", paths: ["**/.env", "/home/dev/.ssh/**"] },
    { action: "deny", paths: { write: "/w/.git/**" } },
  ];
  test.each(readCases<[string, string]>(import.meta, "files"))("%s: %s", (line, effect) =>
    expect(effectOf(files, run(line))).toBe(effect),
  );

  test("an allow about files covers any program", () => {
    const open: readonly RuleData[] = [{ action: "allow", paths: "**" }];
    expect(effectOf(open, run("cat src/a"))).toBe("allow");
    for (const line of readCases<string>(import.meta, "lines-with-more-than-files")) {
      expect([line, effectOf(open, run(line))]).toEqual([line, "abstain"]);
    }
  });
  test("the paths of all commands must be resolved", () => {
    const pool = compilePolicy([policyOf(files.map((rule, at) => ({ name: `r${at}`, ...rule })))]);
    expect(pool.pathsToResolve(run("cat src/a; cat < src/b; ssh host cat c")).toSorted()).toEqual([
      "src/a",
      "src/b",
    ]);
  });
});

describe("hosts of a line", () => {
  const hosts: readonly RuleData[] = [
    allow("curl *", { network: ["api.example.com", "*.internal"] }),
    { action: "deny", network: ["*.evil.example", "bücher.example"] },
  ];
  test.each(readCases<[string, string]>(import.meta, "hosts"))("%s: %s", (line, effect) =>
    expect(effectOf(hosts, run(line))).toBe(effect),
  );
  test("URLs of network tools are compared in the same way", () => {
    const fetch = (url: string): string => effectOf(hosts, call("web_fetch", { url }));
    expect([
      fetch("https://bücher.example/"),
      fetch("https://xn--bcher-kva.example/"),
      fetch("https://x.example/"),
    ]).toEqual(["deny", "deny", "abstain"]);
  });
});

describe("explain", () => {
  const pool = compilePolicy([
    policyOf([
      { name: "git", action: "allow", command: "git *" },
      { name: "rm", action: "deny", command: "rm -rf *" },
    ]),
  ]);
  test("names the command that matched, or came closest", () => {
    expect(pool.explain(run("ls; /usr/bin/git  'log'"))).toMatchObject([
      { name: "git", matched: true, command: "git log" },
      { name: "rm", matched: false, failed: "command" },
    ]);
  });
  test("tells that a rule may match", () => {
    const [, rm] = pool.explain(run("ls; rm $X"));
    expect(rm).toMatchObject({
      matched: false,
      failed: "command",
      may_match: true,
      command: "rm …",
    });
  });
  test("does not mention commands for other tools", () => {
    expect(pool.explain(call("read_file", { path: "a" }))[0]).not.toHaveProperty("command");
  });
});

describe("a variable of the line", () => {
  test.each(["x=1; ls", "x=1 y='a b'; git status", 'x=$(ls); echo "$x"', "x=-l; ls $x"])(
    "needs no rule: %s",
    (line) => {
      expect(effectOf(rules, run(line))).toBe("allow");
    },
  );
  test.each([
    ...["x=1", "FOO=1; ls", "x=1 git status", "path=./evil; ls", "https_proxy=evil; ls"],
    ...["npm_config_a=1; ls", "x=1 > a; ls", 'x="$TOKEN"; ls', "x=(a b); ls", "c='rm -rf a'; $c"],
  ])("that may mean more does: %s", (line) => {
    expect(effectOf(rules, run(line))).not.toBe("allow");
  });
});
