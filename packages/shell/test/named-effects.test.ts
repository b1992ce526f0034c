import { readFileSync } from "node:fs";
import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyze, EFFECT_NAMES, namedEffects, type EffectName } from "../src/index.ts";

const NAMES = Object.keys(EFFECT_NAMES) as readonly EffectName[];

const found = (line: string): { readonly names: string; readonly possible: string } => {
  const names = new Set<EffectName>();
  const possible = new Set<EffectName>();
  for (const command of analyze(line).commands) {
    const named = namedEffects(command);
    for (const name of named.names) names.add(name);
    for (const name of named.possible) possible.add(name);
  }
  const others = [...possible].filter((name) => !names.has(name));
  return {
    names: [...names].toSorted().join(" "),
    possible: others.length > 20 ? "all" : others.toSorted().join(" "),
  };
};

test.each(readCases<[line: string, names: string, possible?: string]>(import.meta, "lines"))(
  "the named effects of a line are those of its commands: %s",
  (line, names, possible = "") => expect(found(line)).toEqual({ names, possible }),
);

// Each hides the same command from a reader who only looks at the text.
describe("no spelling of a command removes an effect", () => {
  const ways: readonly ((line: string) => string)[] = [
    (line) => `sudo ${line}`,
    (line) => `env ${line}`,
    (line) => `timeout 9 nice ${line}`,
    (line) => `bash -c '${line}'`,
    (line) => `eval "${line}"`,
    (line) => `echo $(${line})`,
    (line) => `x && (${line})`,
    (line) => `frobnicate ${line}`,
    (line) => `frobnicate -- ${line}`,
    (line) => `/usr/bin/${line}`,
    (line) => `./${line}`,
    (line) => line.replace(/^(.)(\S*)/, "\"$1\"'$2'"),
    (line) => line.replace(/^(\S)/, "\\$1"),
    (line) => line.replace(/ /g, "\t"),
    (line) => line.replace(/ (\S+)/g, (_, word: string) => ` $'${word}'`),
    (line) => `${line} > /dev/null 2>&1 &`,
    (line) => `${line} --frob`,
    (line) => `${line} $X`,
    (line) => `$X; ${line}`,
    (line) => line.replace(/^\S+/, (name) => name.toUpperCase()),
  ];
  test.each(readCases<[string, string]>(import.meta, "effects"))("%s has %s", (line, name) => {
    for (const way of ways) expect(found(way(line)).names.split(" "), way(line)).toContain(name);
  });
});

test("a word known only to bash may have the effect, or is unknown", () => {
  for (const line of ["rm $X", "rm -$X", "git $X", "git push $X", "git reset $X", "npm $X"]) {
    const { names, possible } = found(line);
    expect(names.includes("unknown") || possible !== "", line).toBe(true);
  }
});

test("a command with too many program names has every effect", () => {
  const { names } = found(`frobnicate ${"ls x ".repeat(80)}`);
  expect(names.split(" ")).toHaveLength(NAMES.length);
});

test("no line throws, and every name is on the list", () => {
  const word = fc.constantFrom(
    ..."rm git push -rf --force $X '' \"$X\" npm * {a,b} > < | ; && ( ) find -exec sudo -- - = ./x".split(
      " ",
    ),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      for (const command of analyze(words.join(" ")).commands) {
        const { names, possible } = namedEffects(command);
        for (const name of [...names, ...possible]) expect(NAMES).toContain(name);
      }
    }),
  );
});

test("the README lists every effect with its meaning", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| `([a-z-]+)` +\| ([^|]+?) +\|$/gm)].map(
    ([, name, meaning]) => [name, meaning],
  );
  expect(rows).toEqual(Object.entries(EFFECT_NAMES));
});
