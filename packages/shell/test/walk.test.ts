import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { codesOf, commandOf, commandsOf } from "./kit.ts";

describe("every command that bash could run is reported", () => {
  it.each([
    "git status && rm -rf build",
    "git status || rm -rf build",
    "git status; rm -rf build",
    "git status & rm -rf build",
    "git status | rm -rf build",
    "git status |& rm -rf build",
    "git status\nrm -rf build",
    "{ rm -rf build; }",
    "( ( (rm -rf build) ) )",
    "if rm -rf build; then :; fi",
    "if :; then :; elif rm -rf build; then :; fi",
    "if :; then :; else rm -rf build; fi",
    "while rm -rf build; do break; done",
    "until ! rm -rf build; do :; done",
    "for x in 1; do rm -rf build; done",
    "for ((;;)); do rm -rf build; done",
    "select x in 1; do rm -rf build; done",
    "case x in x) rm -rf build ;; esac",
    "f() { rm -rf build; }; f",
    "function f { rm -rf build; }",
    "coproc X { rm -rf build; }",
    "! time rm -rf build",
    "echo $(rm -rf build)",
    "echo `rm -rf build`",
    'echo "a $(rm -rf build) b"',
    "echo `echo \\`rm -rf build\\``",
    "cat <(rm -rf build)",
    "tee >(rm -rf build)",
    "echo $((1+$(rm -rf build)))",
    "echo $[1+$(rm -rf build)]",
    "(( x = $(rm -rf build) ))",
    "for ((i=$(rm -rf build);;)); do :; done",
    "[[ -n $(rm -rf build) ]]",
    "[[ a =~ $(rm -rf build) ]]",
    "[[ a == b || ( -f $(rm -rf build) ) ]]",
    "case $(rm -rf build) in a) ;; esac",
    "case a in $(rm -rf build)) ;; esac",
    "for x in $(rm -rf build); do :; done",
    "cat <<E\n$(rm -rf build)\nE",
    "cat <<E; rm -rf build\nhi\nE",
    "echo > $(rm -rf build)",
    "{ :; } > $(rm -rf build)",
    "x=$(rm -rf build)",
    "x=(a $(rm -rf build))",
    "x[$(rm -rf build)]=1",
    "x=$(rm -rf build) git status",
    "export x=$(rm -rf build)",
    "echo ${x:-$(rm -rf build)}",
    "echo ${x[$(rm -rf build)]}",
    "echo ${x//a/$(rm -rf build)}",
    "echo ${x:$(rm -rf build):1}",
    "echo {a,$(rm -rf build)}",
    "echo [$(rm -rf build)]",
    "echo ${ rm -rf build; }",
    "echo $(case x in x) rm -rf build;; esac)",
    "echo $(cat <<E\n)\nE\nrm -rf build)",
    "exec {fd}> $(rm -rf build)",
    "GIT_PAGER='rm -rf build' git log",
    "export EDITOR='rm -rf build'",
    "r''m -r\"f\" build",
    "$'\\x72m' -rf build",
    "r\\m -rf build",
    "rm \\\n-rf build",
    "bash -c 'rm -rf build'",
    "eval 'rm -rf build'",
    "bash -c \"bash -c 'rm -rf build'\"",
    "trap 'rm -rf build' EXIT",
    "bash <<'E'\nrm -rf build\nE",
    "bash <<< 'rm -rf build'",
  ])("%s", (line) => {
    expect(commandsOf(line)).toContain("rm -rf build");
  });
});

describe("data is data", () => {
  it.each([
    "echo 'rm -rf build'",
    'echo "; rm -rf build"',
    "echo '$(rm -rf build)'",
    'echo "\\$(rm -rf build)"',
    "# rm -rf build\ngit status",
    "git status # rm -rf build",
    "cat <<'E'\n$(rm -rf build)\nE",
    "cat <<E\n\\$(rm -rf build)\nrm -rf build\nE",
    "echo $'rm -rf build'",
    "echo a\\; rm -rf build",
  ])("%s", (line) => {
    const { commands } = analyze(line);
    expect(commands.map(({ argv }) => argv[0]?.text)).not.toContain("rm");
    expect(codesOf(line)).toEqual([]);
  });
});

describe("everyday lines are fully known", () => {
  it.each([
    "echo $((1 + 2 * 3))",
    "X=1; echo $X",
    "export NODE_ENV=test",
    "set -euo pipefail; npm test",
    "[[ $a == b* ]] && echo yes",
    '[[ "$n" -gt 3 ]] && echo yes',
    "(( n > 3 )) && echo big",
    'while read -r l; do echo "$l"; done < names.txt',
    "git log @{u}..",
    "git diff HEAD^ HEAD",
    'for f in a b; do cat "src/$f.txt"; done',
    'for f in *.ts; do echo "$f"; done',
    "i=0; while ((i<3)); do echo $i; i=$((i+1)); done",
    "if [ -f a ]; then cat a; else echo none; fi",
    "echo ${x:-$(date)}",
    'echo "${x%.ts} ${x##*/} ${x//\\//-} ${#x} ${x[0]} ${x[@]}"',
    "f() { npm test; }; f",
    "npm test 2>&1 | tail -n 20",
    "echo '👍🏽 👨‍👩‍👧 日本語'",
    "sleep 1 & wait",
    "diff <(sort a) <(sort b)",
    "case $1 in a|b) echo x ;; *) echo y ;; esac",
    "printf '%s\\n' a b c | sort | uniq -c",
    "unset X; shopt -s nullglob",
  ])("%s", (line) => {
    expect(codesOf(line)).toEqual([]);
  });
});

describe("what bash alone can know is unknown", () => {
  it.each([
    ["$X -rf build", "dynamic_command"],
    ['"$(echo rm)" -rf build', "dynamic_command"],
    ["/bin/r* -rf build", "dynamic_command"],
    ["{rm,-rf,build}", "dynamic_command"],
    ["sudo $X", "dynamic_command"],
    ["eval $X", "dynamic_script"],
    ["cat x | bash", "dynamic_script"],
    ["echo ${x@P}", "dynamic_script"],
    ["echo ${!x}", "dynamic_script"],
    ["x='a[$(id)]'; echo $((x))", "dynamic_script"],
    ["read x; echo $((x + 1))", "dynamic_script"],
    ["for x in a; do (( x )); done", "dynamic_script"],
    ["y=x; x='a[$(id)]'; (( y ))", "dynamic_script"],
    ["x='a[$(id)]'; [[ x -eq 1 ]]", "dynamic_script"],
    ["x='a[$(id)]'; echo ${y:x}", "dynamic_script"],
    ["x='a[$(id)]'; y[x]=1", "dynamic_script"],
    ["f() { echo $(($1)); }; f 'a[$(id)]'", "dynamic_script"],
    ["declare -i n; n='a[$(id)]'", "dynamic_script"],
    ["test -v 'a[$(id)]'", "dynamic_script"],
    ["[[ -v $x ]]", "dynamic_script"],
    ["printf -v 'a[$(id)]' x", "dynamic_script"],
    ["unset 'a[$(id)]'", "dynamic_script"],
    ["GIT_EDITOR=$x git commit", "dynamic_script"],
    ["echo $(('$(id)'))", "syntax"],
    ["echo ${HOME:0:'$(id)'}", "syntax"],
    ["cat <<E\n${u:-'$(id)'}\nE", "syntax"],
    ["git status )", "syntax"],
    ['git status "', "syntax"],
    ["git\u200bstatus", "syntax"],
    ["git status\rid", "syntax"],
    ["git status \u202e", "syntax"],
    ["alias ls='rm -rf x'; ls", "state"],
    ["bash -c 'alias ls=rm'", "state"],
    ["shopt -s expand_aliases", "state"],
    ["set -k", "state"],
    ["PATH=.:$PATH git status", "state"],
    ["export PATH=/tmp", "state"],
    ["IFS=x; echo $y", "state"],
    ["read PATH", "state"],
    ["declare -n p=x", "state"],
    ["export $x", "state"],
    ["ls() { :; }; ls", "state"],
    ["hash -p /tmp/x git", "state"],
    ["PS4='$(id)'; set -x; :", "inline_code"],
    ["echo {1..1000000000}", "limit"],
    [`echo ${"{a,b}".repeat(40)}`, "limit"],
  ])("%s is %s", (line, code) => {
    expect(codesOf(line)).toContain(code);
  });
});

describe("a mistake or a limit hides nothing that is in plain sight", () => {
  const visible = (line: string) => commandsOf(line).some((text) => /(^| )rm -rf/.test(text));
  it.each([
    "rm -rf build (",
    "git status; rm -rf build; if",
    'echo "; rm -rf build',
    "if rm -rf build",
    "'rm -rf build",
    `${"(".repeat(400)}rm -rf build`,
    `${"true;".repeat(4000)}rm -rf build`,
    `echo ${'"'.repeat(120_001)}; rm -rf build`,
    `${"echo a;".repeat(2100)}rm -rf build`,
    `${"$(".repeat(80)}rm -rf build${")".repeat(80)}`,
    "echo {1..1000000000}; rm -rf build",
    `${"$((".repeat(2000)}; rm -rf build`,
    "sudo ".repeat(60).concat("rm -rf build"),
    "xargs ".repeat(500).concat("rm -rf build"),
  ])("%#", (line) => {
    expect(visible(line)).toBe(true);
    expect(codesOf(line)).not.toEqual([]);
  });
});

describe("origins", () => {
  it("says how bash gets to a command", () => {
    const line = "sudo ls; echo $(id); bash -c pwd";
    expect(["sudo", "ls", "id", "pwd"].map((name) => commandOf(line, name).origin)).toEqual([
      "line",
      "wrapper",
      "substitution",
      "script",
    ]);
  });

  it("reports commands in the order of the text, each followed by what it runs", () => {
    expect(commandsOf("echo $(id) `pwd`; sudo ls; x")).toEqual([
      "echo <?>… <?>…",
      "id",
      "pwd",
      "sudo ls",
      "ls",
      "x",
    ]);
  });

  it("gives a wrapped command the assignments of its wrapper", () => {
    expect(commandOf("A=1 env B=2 ls", "ls").assignments.map(({ name }) => name)).toEqual([
      "A",
      "B",
    ]);
  });
});
