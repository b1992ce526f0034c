import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import type { RuleData } from "./toml.ts";

const allow = (command: string | readonly string[], more: RuleData = {}): RuleData => ({ action: "allow", command, ...more });
const deny = (command: string | readonly string[], more: RuleData = {}): RuleData => ({ action: "deny", command, ...more });

describe("an allow covers only what is written", () => {
  test.each([
    ["git status *", "git status", true],
    ["git status *", "git status -s src", true],
    ["git status *", "  git   status\t-s ", true],
    ["git status *", "/usr/bin/git status", true],
    ["git status *", "/usr/local/bin/git status", true],
    ["git status *", "/bin/git status", true],
    ["git status *", "./git status", false],
    ["git status *", "bin/git status", false],
    ["git status *", "/opt/bin/git status", false],
    ["git status *", "/usr/bin/../../tmp/git status", false],
    ["git status *", "git -s status", false],
    ["git status *", "git statusx", false],
    ["git status *", "GIT status", false],
    ["git status", "git status -s", false],
    ["git status", "git status", true],
    ["frob * status", "frob x status", true],
    ["frob * status", "frob x y status", false],
    ["/opt/x/tool *", "/opt/x/tool a", true],
    ["/opt/x/tool *", "tool a", false],
    ["./gradlew test", "./gradlew test", true],
    ["npm {ci,test}", "npm test", true],
    ["npm run lint:*", "npm run lint:fix", true],
    ["g*", "git", true],
    ["g*", "./git", false],
  ])("`%s` and `%s`: %s", (pattern, line, covered) => {
    expect(effectOf([allow(pattern)], run(line))).toBe(covered ? "allow" : "abstain");
  });
});

describe("a deny matches by meaning", () => {
  test.each([
    ["rm -rf *", "rm -rf x", true],
    ["rm -rf *", "rm -fr x", true],
    ["rm -rf *", "rm -r -f x", true],
    ["rm -rf *", "rm x -rf", true],
    ["rm -rf *", "rm -rfv x", true],
    ["rm -rf *", "rm -Rf x", true],
    ["rm -rf *", "rm --recursive --force x", true],
    ["rm -rf *", "rm --rec --forc x", true],
    ["rm -rf *", "rm -r --force x", true],
    ["rm -rf *", "/bin/rm -rf x", true],
    ["rm -rf *", "./rm -rf x", true],
    ["rm -rf *", "../../../bin/rm -rf x", true],
    ["rm -rf *", "rm -rf", true],
    ["rm -rf *", "rm -f x", false],
    ["rm -rf *", "rm -- -rf", false],
    ["rm -rf *", "rm ./-rf", false],
    ["rm -rf *", "git rm -rf x", false],
    ["rm -rf *", "firmware -rf x", false],
    ["rm -rf *", "echo rm -rf x", false],
    ["rm -rf *", "sudo rm -rf x", true],
    ["rm -rf *", "env -u X rm -rf x", true],
    ["rm -rf *", "timeout 5 nice -n 3 rm -r -f x", true],
    ["rm -rf *", "docker exec c1 rm -rf x", true],
    ["rm -rf *", "frobnicate --now rm -rf x", true],
    ["git push --force *", "git push --force", true],
    ["git push --force *", "git push origin main -f", true],
    ["git push --force *", "git -C /x push --force", true],
    ["git push --force *", "git push --force-with-lease", false],
    ["git push --force *", "git push", false],
    ["git push *", "git branch push", false],
    ["git push *", "git --no-pager push", true],
    ["git push *", "git --git-dir=.git push", true],
    ["git push", "git push", true],
    ["git push", "git push origin", false],
    ["dd *", "dd if=x of=y", true],
    ["dd *", "git add dd", false],
    ["chmod 777 *", "chmod -R 777 x", true],
    ["npm config set *", "npm config set x y", true],
    ["find -delete *", "find . -name x -delete", true],
  ])("`%s` and `%s`: %s", (pattern, line, matches) => {
    expect(effectOf([deny(pattern)], run(line), { default: "allow" }) === "deny").toBe(matches);
  });
});

describe("what cannot be read is never allowed", () => {
  const lines = [
    "",
    "   ",
    "ls | sh",
    "echo ls | bash -s",
    "bash < x",
    "ls\rid",
    "$(id)",
    "`id`",
    "$X -l",
    "l$X",
    "/bin/l*",
    "if true",
    "ls 'a",
    "ls )",
    "ls &&",
    "bash x.sh",
    "sudo bash x.sh",
    "bash -c 'ls; $X'",
    "eval $X",
    ". x",
    "source x",
    "alias ls=id; ls",
    "python3 -c 1",
    "perl -e 1",
    "node -e x",
    "echo 1 | python3",
    "echo $(python3 -c 1)",
    "ls\u00a0x",
    "ls\u2028x",
    "\ufeffls",
    "ls\u0000",
    `ls ${"a".repeat(20_000)}`,
  ];
  const blankets: readonly RuleData[] = [
    { action: "allow", tool: "*", priority: "admin" },
    { action: "allow", tool: "run_shell_command", priority: "admin" },
    allow("* *", { priority: "admin" }),
    allow("*", { priority: "admin" }),
    { action: "allow", command_regex: "(.|\\n)*", priority: "admin" },
  ];
  test.each(lines)("%j", (line) => {
    for (const rule of blankets) {
      for (const fallback of ["allow", "ask_user", "deny"]) {
        const wanted = fallback === "deny" ? "deny unknown_command" : "ask_user unknown_command";
        expect(verdictOf([rule], run(line), { default: fallback })).toBe(wanted);
      }
    }
  });
  test.each([
    [{}],
    [{ command: 7 }],
    [{ command: null }],
    [{ command: ["ls"] }],
    [{ command: { a: "ls" } }],
    [{ Command: "ls" }],
    [["ls"]],
  ])("arguments %j", (args) => {
    for (const rule of blankets) expect(verdictOf([rule], call("run_shell_command", args))).toBe("ask_user unknown_command");
  });
  test.each([
    "ls > x",
    "ls < x > y",
    "ls $X",
    'ls "$X"',
    "ls *",
    "ls ?",
    "ls {-a,$X}",
    "X=1 ls",
    "sudo ls",
    "env ls",
    "xargs ls",
    "eval ls",
    "bash -c ls",
    "find . -exec ls",
    "export A=1; ls",
    "ls; X=1",
    "ls; (ls > x)",
    "echo $(ls > x)",
  ])("a blanket allow leaves %j to the default", (line) => {
    for (const rule of blankets) expect(verdictOf([rule], run(line))).toBe("abstain");
  });
  test.each([
    "ls; id",
    "ls && id | cat",
    "ls 'a' \"b\" \\c",
    "(ls); { ls; }",
    "ls 2>&1 > /dev/null",
    "ls < x",
    "NO_COLOR=1 ls",
    "set -e; ls",
    "ls #x",
  ])("and covers %j", (line) => expect(effectOf([{ action: "allow", tool: "run_shell_command" }], run(line))).toBe("allow"));
  test("a rule that speaks of another tool says nothing", () => {
    expect(verdictOf([{ action: "allow", tool: "read_file" }], run("ls; $X"))).toBe("abstain");
  });
  test("a rule in shadow says nothing", () => {
    expect(verdictOf([{ action: "deny", command: "rm *", shadow: true }], run("ls; $X"))).toBe("abstain");
  });
  test("a rule on the tool alone still denies and asks", () => {
    expect(verdictOf([{ action: "deny", tool: "run_shell_command" }], run("ls; $X"))).toBe("deny rule_denied r0");
    expect(verdictOf([{ action: "ask_user", tool: "run_shell_command" }], run("ls; $X"))).toBe("ask_user rule_asked r0");
    expect(verdictOf([{ action: "ask_user", tool: "run_shell_command" }], run("ls; $X"), { default: "deny" })).toBe("deny unknown_command");
  });
  test("whatever follows a program, no line of odd characters is denied by what only looks like a command", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), (tail) => {
        const quoted = `'${tail.replaceAll("'", "x")}'`;
        expect(effectOf([deny("rm *"), deny("dd *")], run(`echo ${quoted}`))).not.toBe("deny");
        expect(effectOf([deny("rm *")], run(`echo ${quoted}; rm a`))).not.toBe("abstain");
      }),
    );
  });
});

describe("arguments that do more than they say", () => {
  test.each([
    ["find *", "find . -delete"],
    ["find *", "find . -fprint x"],
    ["sort *", "sort -o x y"],
    ["sort *", "sort --outp=x y"],
    ["sed *", "sed -i s/a/b/ f"],
    ["sed *", "sed -n 1w f"],
    ["git *", "git log --output=x"],
    ["git *", "git config core.pager id"],
    ["tar *", "tar xf x.tar"],
    ["date *", "date -s now"],
    ["uniq *", "uniq in out"],
    ["less *", "less +x f"],
    ["make *", "make SHELL=x"],
    ["frob *", "frob --exec x"],
    ["curl *", "curl -o x https://a.example"],
  ])("`%s` does not cover `%s`", (pattern, line) => {
    const stands = line.startsWith("less") ? "ask_user" : "abstain";
    expect(effectOf([allow(pattern)], run(line))).toBe(stands);
    expect(effectOf([{ action: "allow", tool: "run_shell_command" }], run(line))).toBe(stands);
    expect(effectOf([{ action: "allow", command_regex: ".*" }], run(line))).toBe(stands);
  });
  test.each([
    ["find . -delete", "find . -delete"],
    ["sed -i *", "sed -i s/a/b/ f"],
    ["git config *", "git config user.name"],
    ["sort -o out *", "sort -o out in"],
  ])("`%s` spells it out and covers `%s`", (pattern, line) => {
    expect(effectOf([allow(pattern)], run(line))).toBe("allow");
  });
  test.each([
    "find . -name -delete",
    "sort -k2,2 f",
    "sed s/a/b/g f",
    "tar -tf x.tar",
    "git log -- --output",
    "uniq -c f",
    "git diff --output-indicator-new=+",
  ])("`%s` is harmless", (line) => expect(effectOf([{ action: "allow", tool: "run_shell_command" }], run(line))).toBe("allow"));
});

describe("command_regex", () => {
  test.each([
    ["git (status|log)( .*)?", "git status", true],
    ["git (status|log)( .*)?", "git log -n 3", true],
    ["git (status|log)( .*)?", "  git   log", true],
    ["git (status|log)( .*)?", "/usr/bin/git log", true],
    ["git (status|log)( .*)?", "xgit status", false],
    ["git (status|log)( .*)?", "git statusx", false],
    ["git", "gitleaks", false],
  ])("an allow of `%s` and `%s`: %s", (regex, line, covered) => {
    expect(effectOf([{ action: "allow", command_regex: regex }], run(line))).toBe(covered ? "allow" : "abstain");
  });
  test.each([
    ["(rm|sudo)( .*)?", "rm x"],
    ["(rm|sudo)( .*)?", "/opt/rm x"],
    ["(rm|sudo)( .*)?", "env rm x"],
    ["rm .*", "frobnicate rm x"],
    ["rm .*", "timeout 3 /bin/rm x"],
  ])("a deny of `%s` matches `%s`", (regex, line) => {
    expect(effectOf([{ action: "deny", command_regex: regex }], run(line))).toBe("deny");
  });
});

test("a shell tool of an MCP server is read as one", () => {
  const one = call("mcp__box__bash", { command: "rm -rf x" }, { servers: { box: ["bash"] } });
  expect(effectOf([deny("rm -rf *", { tool: "bash" })], one)).toBe("deny");
  expect(effectOf([allow("rm *")], { ...one, args: { command: "rm x" } })).toBe("abstain");
});
