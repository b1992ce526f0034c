import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze, type Word } from "../src/index.ts";
import { callsOf } from "./bash.ts";
import { codesOf, commandsOf } from "./kit.ts";
import { numbers, randomScript, type ScriptParts } from "./random.ts";

describe("the value of a variable", () => {
  it.each(readCases<[string, string]>(import.meta, "known"))("counts in `%s`", (line, expected) => {
    const commands = commandsOf(line).filter(
      (text) => text !== "" && !text.startsWith("seq") && text !== "cd x",
    );
    expect(commands.join("|")).toBe(expected);
  });

  it.each([
    ...readCases<string>(import.meta, "unknown"),
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

// Commands that set and use two variables in many ways.
const partsOf = (pick: <T>(items: readonly T[]) => T): ScriptParts => {
  const name = pick(["f", "g"]);
  const value = pick(["a", "b", "'c d'", "$f", '"$g"', "-x", "{a,b}", "7", "$((2+3))"]);
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
  return { loops: [`${name} in ${value} ${pick(["b", "z"])}`], simple, odd };
};

it("covers every call that bash makes with the values", () => {
  const next = numbers(7);
  const lines = Array.from({ length: 1_000 }, () => {
    const rest = randomScript(next, 1 + Math.floor(next() * 3), partsOf);
    const start = next();
    return start < 0.4 ? `f=a g=b; ${rest}` : start < 0.7 ? `f=1; g=2; ${rest}` : rest;
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

function patternOf(piece: Word["pieces"][number]): string {
  if (typeof piece === "string") return piece.replace(/\W/g, String.raw`\$&`);
  return piece.hole === "number" ? (piece.optional === true ? "\\d*" : "\\d+") : ".*";
}

// Whether words may expand to a list of arguments.
function matches(words: readonly Word[], call: readonly string[]): boolean {
  if (words.some(({ single }) => !single)) return true;
  return (
    words.length === call.length &&
    words.every(({ pieces }, at) =>
      new RegExp(`^${pieces.map(patternOf).join("")}$`, "s").test(call[at] ?? ""),
    )
  );
}
