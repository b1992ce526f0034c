import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyze, type ShellCommand } from "../src/index.ts";

const PROGRAMS =
  "sed awk find xargs env sudo tar git bash python3 perl node ssh curl docker kubectl npm make less man jq sort parallel tmux socat psql rsync find fd".split(
    " ",
  );
const word = fc.oneof(
  fc.constantFrom(
    "-c",
    "-e",
    "-exec",
    "{}",
    ";",
    "+",
    "--",
    "-",
    "-C",
    "-o",
    "-x",
    "-xf",
    "a=b",
    "!x",
    "s/a/b/e",
    "system(",
    "host:x",
    "-S",
    "run",
    "exec",
    "config",
    "alias.x",
    "-oProxyCommand=x",
  ),
  fc.string({ maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      "-",
      "=",
      "/",
      "[",
      "]",
      "{",
      "}",
      "|",
      "\\",
      "'",
      '"',
      "e",
      "w",
      "s",
      "a",
      ";",
      "\n",
      "$",
      "@",
      ":",
    ),
    maxLength: 24,
  }),
);
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const HOLE = "$x";
const told = ({ argv, hazards, unknown }: ShellCommand): unknown => ({ argv, hazards, unknown });
const line = fc
  .tuple(
    fc.constantFrom(...PROGRAMS),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: word.map(quote) },
        { weight: 1, arbitrary: fc.constantFrom(HOLE, `"${HOLE}"`, `-${HOLE}`, `--o=${HOLE}`) },
      ),
      { maxLength: 8 },
    ),
  )
  .map(([program, words]) => [program, ...words].join(" "));

describe("any arguments of any program", () => {
  test("never throw, and every hazard points at a word", () => {
    fc.assert(
      fc.property(line, (text) => {
        const analysis = analyze(text);
        for (const { argv, hazards } of analysis.commands)
          for (const { at } of hazards) expect(at).toBeLessThan(Math.max(1, argv.length));
      }),
      { numRuns: 3000 },
    );
  });

  test("a wrapper never hides an effect of its command", () => {
    const program = fc.constantFrom("rm", "bash", "git", "sed", "frob");
    const words = fc.array(
      fc.constantFrom("rm", "-rf", "x", "bash", "-c", "git", "push", "sed", "-i", "s/a/b/"),
      { maxLength: 5 },
    );
    const inner = fc.tuple(program, words).map(([first, rest]) => [first, ...rest]);
    const wrapper = fc.constantFrom(
      "sudo",
      "env",
      "env A=1",
      "timeout 5",
      "nice -n 3",
      "nohup",
      "command",
      "stdbuf -oL",
      "setsid -w",
      "busybox",
    );
    fc.assert(
      fc.property(wrapper, inner, (outer, argv) => {
        const plain = analyze(argv.join(" ")).commands;
        const wrapped = analyze(`${outer} ${argv.join(" ")}`).commands.slice(1);
        expect(wrapped.map(told)).toEqual(plain.map(told));
      }),
    );
  });

  test("an option means the same in every spelling", () => {
    const spellings = readCases<string[]>(import.meta, "spellings");
    for (const [first = "", ...others] of spellings) {
      const meaning = (text: string): unknown => {
        const [command] = analyze(text).commands;
        return {
          does: command?.hazards.map(({ does }) => does),
          effects: command?.effects.map((effect) => JSON.stringify(effect)).toSorted(),
        };
      };
      for (const other of others)
        expect({ [other]: meaning(other) }).toEqual({ [other]: meaning(first) });
    }
  });

  test.each([
    ["sed", (n: number) => `sed '${"s/a/b/;".repeat(n)}' f`],
    ["sed brackets", (n: number) => `sed 's/${"[".repeat(n)}/x/' f`],
    ["awk", (n: number) => `awk '${"/".repeat(n)}'`],
    ["awk regular expressions", (n: number) => `awk '${"a/[".repeat(n)}'`],
    ["awk redirections", (n: number) => `awk '{${"print > x ".repeat(n)}}'`],
    ["find", (n: number) => `find . ${"-exec x \\; ".repeat(n)}`],
    ["nested wrappers", (n: number) => `${"sudo ".repeat(n)}rm`],
    ["nested finds", (n: number) => `${"find . -exec ".repeat(n)}rm`],
    ["nested xargs", (n: number) => `${"xargs ".repeat(n)}rm`],
    ["env -S", (n: number) => `env -S '${"a ".repeat(n)}'`],
    ["options", (n: number) => `sort ${"-k1 --key=2 ".repeat(n)}`],
    ["clusters", (n: number) => `tar -${"v".repeat(n)}`],
    ["psql", (n: number) => `psql -c '${" .\n".repeat(n)}'`],
    ["host", (n: number) => `curl 'http://${"a@".repeat(n)}'`],
    ["assignments", (n: number) => `env ${"A=1 ".repeat(n)}`],
  ])("%s: the longest analyzed line returns", (_, build) => {
    const step = build(2).length - build(1).length;
    const analysis = analyze(build(Math.floor(16_000 / step)));
    expect(analysis.commands.length + analysis.unknown.length).toBeGreaterThan(0);
  });
});
