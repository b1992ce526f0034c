import { describe, expect, it } from "vitest";
import { analyze, type Word } from "../src/index.ts";
import { callsOf } from "./bash.ts";
import { codesOf, commandsOf } from "./kit.ts";
import { numbers } from "./random.ts";

describe("the value of a variable", () => {
  it.each([
    ['f=a; cat "$f"', "cat a"],
    ["f=a; cat ${f}.md", "cat a.md"],
    ["f=a; cat $f.{ts,js}", "cat a.ts a.js"],
    ["f=a; cat ${f}{x,y}", "cat ax ay"],
    ["f=a; cat {x,y}/$f", "cat x/a y/a"],
    ['f=a && cat "$f"', "cat a"],
    ['cd x && f=a && cat "$f"', "cat a"],
    ['f=a; f=b; cat "$f"', "cat b"],
    ['f=a g="$f/x"; cat "$g"', "cat a/x"],
    ["f='a b'; cat \"$f\"", "cat a b"],
    ['for f in a b; do cat "$f"; done', "cat a|cat b"],
    [
      'for f in a b; do for g in c d; do cat "$f/$g"; done; done',
      "cat a/c|cat a/d|cat b/c|cat b/d",
    ],
    ['for f in src/*.ts; do cat "$f"; done', "cat src/<*>.ts"],
    ["for f in src/*.ts; do cat $f; done", "cat src/<*>.ts"],
    ['for f in {a,b}.md; do cat "$f"; done', "cat a.md|cat b.md"],
    ["for i in {1..9}; do cat f$i; done", "cat f<#>"],
    ["for i in $(seq 3); do cat f$i; done", "cat f<#>"],
    ['n=$(wc -l < a); test "$n" -gt 3', "wc -l|test <#> -gt 3"],
    ["for i in 1 2; do cat f$i; done", "cat f1|cat f2"],
    ["for f in a b; do date; done", "date"],
    ['f=a; (cat "$f")', "cat a"],
    ['for d in a b; do (cd "$d" && cat x); done', "cd a|cat x|cd b|cat x"],
  ])("counts in `%s`", (line, expected) => {
    const commands = commandsOf(line).filter(
      (text) => text !== "" && !text.startsWith("seq") && text !== "cd x",
    );
    expect(commands.join("|")).toBe(expected);
  });

  it.each([
    'f=a; read f; cat "$f"',
    "f=a; read 'f?prompt'; cat \"$f\"",
    'f=a; while cat "$f"; do read f; done',
    'f=a; if x; then f=b; fi; cat "$f"',
    'f=a; printf -v f b; cat "$f"',
    "f=a; printf -v 'f' b; cat \"$f\"",
    'f=a; unset f; cat "$f"',
    'f=a; (( f = 1 )); cat "$f"',
    'f=a; [[ f=1 -eq 1 ]]; cat "$f"',
    'f=a; eval "f=b"; cat "$f"',
    'f=a; . x; cat "$f"',
    'f=a; source ./x; cat "$f"',
    "f=a; eval 'source ./x'; cat \"$f\"",
    'f=a; echo "${f::=b}"; cat "$f"',
    'f=a; echo "${f:=b}"; cat "$f"',
    "f=a; trap 'f=b' DEBUG; cat \"$f\"",
    "trap 'f=b' DEBUG; f=a; cat \"$f\"",
    'f=a; g() { cat "$f"; }; f=b; g',
    'g() { f=b; }; f=a; g; cat "$f"',
    'for f in a b; do while cat "$f"; do read f; done; done',
    'for f in a b; do while cat "$f"; do for f in b; do x; done; done; done',
    'for f in a b; do x; done; cat "$f"',
    'x && f=a; cat "$f"',
    'x && f=a || y; cat "$f"',
    'x && f=a || f=b && cat "$f"',
    'readonly f=b; f=a; cat "$f"',
    'f=b; readonly f; f=a; cat "$f"',
    'declare -u f; f=a; cat "$f"',
    'f=a cat "$f"',
    'f+=a; cat "$f"',
    'f[1]=a; cat "$f"',
    'f=(a); cat "$f"',
    '(f=a); cat "$f"',
    'f=a | x; cat "$f"',
    'f=a & cat "$f"',
    'f=$(x); cat "$f"',
    'g=$(cat "$f") f=a',
    "f=a; bash -c 'cat \"$f\"'",
    'f=a; coproc f { x; }; cat "$f"',
    'f=a; exec {f}> x; cat "$f"',
    'f=a; getopts x f; cat "$f"',
    'f=a; mapfile f; cat "$f"',
    'f=a; cat "$f[1]"',
    "f=a; cat $f{x,y}",
    "f=a; cat $f{1..2}",
    "f=a; cat $f\\\n{x,y}",
    "f=a; cat {$f,b}x",
    "f=a; cat {$f,b}",
    "f=a; cat {{$f,b},c}x",
    'f=a; cat "$f:h"',
    "f='a b'; cat $f",
    "f='*'; cat $f",
    'f=~/a; cat "$f"',
    'match=a; [[ x =~ x ]]; cat "$match"',
    'REPLY=a; cat "$REPLY"',
    'select f in a b; do cat "$f"; done',
    'for f in $(x); do cat "$f"; done',
    'for f; do cat "$f"; done',
    "for f in src/*.ts; do cat x$f; done",
    `for f in ${"x ".repeat(17)}; do cat "$f"; done`,
  ])("is unknown in `%s`", (line) => {
    const [cat] = analyze(line).commands.filter(({ argv }) => argv[0]?.text === "cat");
    expect(cat?.argv[1]?.pieces).toContainEqual({ hole: "any" });
  });

  it("is a known name of a program", () => {
    expect(codesOf('p=ls; "$p" src')).toEqual([]);
    expect(commandsOf("p=ls; $p src")[1]).toBe("ls src");
  });
});

// Scripts that set and use two variables in many ways, and that end.
function script(next: () => number, depth: number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const name = pick(["f", "g"]);
  const value = pick(["a", "b", "'c d'", "$f", '"$g"', "-x", "{a,b}"]);
  const use = pick(['pwned "$f"', "pwned $g", 'pwned "${g}/$f"', "pwned x$f"]);
  const simple = [use, use, use, `${name}=${value}`, `${name}=${value}`];
  const odd = [
    `read ${name} <<< z`,
    `printf -v ${name} z`,
    `unset ${name}`,
    `: \${${name}:=z}`,
    `(( ${name} = 3 ))`,
    `declare ${name}=z`,
    `readonly ${name}`,
    `${name}=z pwned "$f"`,
    `${name}=$(pwned "$f") g=z`,
    `f=z g="$f"`,
    `trap '${name}=z' DEBUG`,
    `eval '${name}=z'`,
    `[[ ${name}=4 -eq 4 ]]`,
  ];
  if (depth === 0) return pick(next() < 0.25 ? odd : simple);
  const inner = (): string => script(next, depth - 1);
  return pick([
    () => `${inner()}; ${inner()}`,
    () => `${inner()}\n${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `false && ${inner()}; ${inner()}`,
    () => `for ${name} in ${value} ${pick(["b", "z"])}; do ${inner()}; done`,
    () => `while [[ $n != xx ]]; do n=x$n; ${inner()}; done`,
    () => `if true; then ${inner()}; else ${inner()}; fi`,
    () => `( ${inner()} )`,
    () => `{ ${inner()}; }`,
    () => `{ h() { ${inner()}; }; ${inner()}; h; }`,
    () => `y=$(${inner()})`,
    () => `${inner()} | :`,
    () => `${inner()} & wait`,
  ])();
}

it("covers every call that bash makes with the values", () => {
  const next = numbers(7);
  const lines = Array.from({ length: 1_000 }, () => {
    const rest = script(next, 1 + Math.floor(next() * 3));
    return next() < 0.7 ? `f=a g=b; ${rest}` : rest;
  });
  const calls = callsOf(lines);
  let known = 0;
  const missed = lines.filter((line, index) => {
    const analysis = analyze(line);
    if (codesOf(analysis).length > 0) return false;
    const patterns = analysis.commands.flatMap(({ argv }) =>
      argv[0]?.text === "pwned" ? [argv.slice(1)] : [],
    );
    if (
      line.includes("$") &&
      patterns.some((words) => words.every(({ text }) => text !== undefined))
    )
      known++;
    return calls[index]?.some((call) => !patterns.some((words) => matches(words, call)));
  });
  expect(missed).toEqual([]);
  expect(known).toBeGreaterThan(200);
});

// Whether words may expand to a list of arguments.
function matches(words: readonly Word[], call: readonly string[]): boolean {
  if (words.some(({ single }) => !single)) return true;
  return (
    words.length === call.length &&
    words.every(({ pieces }, at) =>
      new RegExp(
        `^${pieces.map((piece) => (typeof piece === "string" ? piece.replace(/\W/g, String.raw`\$&`) : ".*")).join("")}$`,
        "s",
      ).test(call[at] ?? ""),
    )
  );
}
