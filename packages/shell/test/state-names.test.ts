import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { assert, pre, property, stringMatching } from "fast-check";
import { analyze } from "../src/index.ts";
import { codesOf } from "./kit.ts";

/** Every way to set a variable in a line without an assignment. */
const SETTERS: readonly ((name: string) => string)[] = [
  (name) => `for ${name} in a b; do ls; done`,
  (name) => `for ${name} in 1 2; do ls; done`,
  (name) => `for ${name}; do ls; done`,
  (name) => `select ${name} in a; do ls; done`,
  (name) => `for ((${name}=0;;)); do ls; done`,
  (name) => `for ((i=0,${name}=1;;)); do ls; done`,
  (name) => `for ((;;${name}++)); do ls; done`,
  (name) => `for ((;;--${name})); do ls; done`,
  (name) => `((${name}=0)); ls`,
  (name) => `((${name}+=1)); ls`,
  (name) => `((${name}<<=1)); ls`,
  (name) => `((${name}++)); ls`,
  (name) => `((x[${name}=1])); ls`,
  (name) => `((a ? ${name}=1 : 2)); ls`,
  (name) => `echo $((${name}=0)); ls`,
  (name) => `echo $[${name}=0]; ls`,
  (name) => `echo \${x:${name}=0}; ls`,
  (name) => `echo \${x[${name}=0]}; ls`,
  (name) => `x[${name}=0]=1; ls`,
  (name) => `[[ 1 -eq ${name}=0 ]]; ls`,
  (name) => `let ${name}=0; ls`,
  (name) => `coproc ${name} { cat; }; ls`,
  (name) => `ls {${name}}>/dev/null; ls`,
  (name) => `exec {${name}}</dev/null; ls`,
  (name) => `{ ls; } {${name}}>/dev/null; ls`,
  (name) => `exec {${name}}>&1; ls`,
  (name) => `printf %n ${name}; ls`,
  (name) => `printf '%s%5ln' a ${name}; ls`,
  (name) => `printf -- %n ${name}; ls`,
  (name) => `printf "$f" ${name}; ls`,
  (name) => `printf -v ${name} x; ls`,
  (name) => `printf -v a -v ${name} x; ls`,
  (name) => `printf -v${name} x; ls`,
  (name) => `read ${name} < f; ls`,
  (name) => `read -r x ${name} < f; ls`,
  (name) => `read -ra ${name} < f; ls`,
  (name) => `read -ra${name} < f; ls`,
  (name) => `mapfile -t ${name} < f; ls`,
  (name) => `readarray ${name} < f; ls`,
  (name) => `getopts ab ${name}; ls`,
  (name) => `getopts -- ab ${name}; ls`,
  (name) => `wait -p ${name}; ls`,
  (name) => `wait -np${name}; ls`,
  (name) => `echo \${${name}:=x}; ls`,
];

const NAMES = readCases<string>(import.meta, "names");

describe("everything that sets a variable counts as an assignment", () => {
  test.each(SETTERS.map((line) => [line("PATH"), line] as const))("%s", (_, line) => {
    for (const name of NAMES)
      expect([line(name), codesOf(line(name))]).toEqual([
        line(name),
        expect.arrayContaining(["state"]),
      ]);
  });

  test.each(readCases<string>(import.meta, "ordinary-lines"))("%s is an ordinary line", (line) =>
    expect(codesOf(line)).toEqual([]),
  );

  test("no variable name makes a loop throw or lose its body", () => {
    assert(
      property(stringMatching(/^[A-Za-z_]\w{0,12}$/), (name) => {
        pre(!/^(in|do|done)$/.test(name));
        const { commands } = analyze(`for ${name} in a; do ls; done`);
        expect(commands.map(({ argv }) => argv[0]?.text)).toContain("ls");
      }),
    );
  });
});

describe("values that bash or zsh computes", () => {
  test.each([
    ..."RANDOM OPTIND HISTCMD SRANDOM SECONDS COLUMNS LINES HISTSIZE SAVEHIST ERRNO GID UID EUID EGID".split(
      " ",
    ),
    ..."SHLVL MAILCHECK LISTMAX KEYTIMEOUT FUNCNEST TRY_BLOCK_ERROR ZLE_RPROMPT_INDENT".split(" "),
  ])("%s", (name) => {
    for (const line of [`${name}='a[$(id)]'`, `export ${name}='a[$(id)]'`, `${name}='a[$(id)]' ls`])
      expect(codesOf(line)).toContain("dynamic_script");
    expect(codesOf(`for ${name} in 'a[$(id)]'; do :; done`)).not.toEqual([]);
    expect(codesOf(`x='a[$(id)]'; ${name}=x ls`)).toContain("dynamic_script");
    expect(codesOf(`${name}=7`)).toEqual([]);
  });
  test.each(readCases<string>(import.meta, "numbers"))("%s", (line) =>
    expect(codesOf(line)).toContain("dynamic_script"),
  );
  test.each(readCases<string>(import.meta, "plain-numbers"))("%s runs nothing", (line) =>
    expect(codesOf(line)).toEqual([]),
  );
});

describe("a quote in `$'…'`, which dash reads as its end", () => {
  test.each(readCases<string>(import.meta, "quotes"))("%s", (line) =>
    expect(codesOf(line)).toContain("syntax"),
  );
  test.each(readCases<string>(import.meta, "plain-quotes"))("%s ends as in bash", (line) =>
    expect(codesOf(line)).toEqual([]),
  );
});

describe("variables that hold further options of a program", () => {
  test.each(readCases<string>(import.meta, "variables"))("%s", (line) =>
    expect(codesOf(line)).toContain("state"),
  );
  test.each(readCases<string>(import.meta, "variables-with-options"))("%s", (line) =>
    expect(codesOf(line)).not.toContain("state"),
  );
});

describe("harmless variables are harmless only with a plain value", () => {
  const harmless = (line: string) =>
    analyze(line).commands[0]?.assignments.every((assignment) => assignment.harmless);
  test.each(readCases<string>(import.meta, "harmless-values"))("%s", (line) =>
    expect(harmless(line)).toBe(true),
  );
  test.each(readCases<string>(import.meta, "harmful-values"))("%s", (line) =>
    expect(harmless(line)).toBe(false),
  );
});

describe("descriptors named by their file", () => {
  const writes = (line: string) =>
    analyze(line).commands[0]?.redirections.some((redirection) => redirection.writes);
  test.each(["echo x > /dev/fd/3", "echo x > /dev/fd/10", "echo x >> /proc/self/fd/1"])(
    "%s writes",
    (line) => expect(writes(line)).toBe(true),
  );
  test.each(["echo x > /dev/fd/1", "echo x > /dev/stderr", "echo x > /dev/null", "echo x >&2"])(
    "%s does not",
    (line) => expect(writes(line)).toBe(false),
  );
});
