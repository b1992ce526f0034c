import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { grammarOf } from "../src/programs/grammar.ts";
import type { Option, Spec } from "../src/programs/program-spec.ts";
import { specOf, tabledPrograms } from "../src/programs/program-table.ts";

interface Place {
  /** The program and its subcommands. */
  readonly path: readonly string[];
  readonly spec: Spec;
}

const placesOf = (path: readonly string[], spec: Spec): readonly Place[] => [
  { path, spec },
  ...Object.entries(spec.subs ?? {}).flatMap(([name, sub]) =>
    name === "*" ? [] : placesOf([...path, name], sub),
  ),
];

const PLACES: readonly Place[] = [...tabledPrograms()].flatMap((name) => {
  const spec = specOf(name);
  return spec === undefined ? [] : placesOf([name], spec);
});

/** Whether an allow of a path with a final `*` covers further words: none is a hazard, and they run nothing. */
function isCovered({ path }: Place, words: readonly string[]): boolean {
  const line = [...path, ...words].map((word) => `'${word}'`).join(" ");
  const { commands, unknown } = analyze(line);
  const [first] = commands;
  if (first === undefined || commands.length > 1) return false;
  const reasons = [...unknown, ...first.unknown];
  return reasons.length === 0 && !first.hazards.some(({ at }) => at >= path.length);
}

// Programs whose purpose is to write or run what these options name, as the operands do.
const ITS_WORK =
  /^(?:(?:ld|as) -o|patch -[or]|patch --(?:output|reject-file)|mktemp (?:-p|--tmpdir)|cmake -B|java -jar|(?:git|hub) subtree(?: \w+)? (?:-P|--prefix))/;
const ACTS: ReadonlySet<string> = new Set("write load script code exec".split(" "));

const VALUE = "zz/x";

function usesOf({ spelled, value }: Option): readonly (readonly string[])[] {
  const glued = /^-[^-]$/.test(spelled) ? `${spelled}${VALUE}` : `${spelled}=${VALUE}`;
  if (value === "none") return [[spelled]];
  if (value === "required" || value === "following") return [[spelled, VALUE], [glued]];
  return value === "second" ? [[spelled, "name", VALUE]] : [[glued]];
}

describe("an allow with a final `*` covers, in every program of the tables,", () => {
  const told = PLACES.filter(({ spec }) => spec.read === undefined);

  test("no option that writes, loads or runs its value, or does other harm", () => {
    const covered = told.flatMap((place) => {
      const { short, long, wordy } = grammarOf(place.spec);
      return [...short.values(), ...long.values(), ...wordy.values()]
        .filter(({ does, role }) => does !== undefined || ACTS.has(role))
        .flatMap(usesOf)
        .filter((words) => isCovered(place, words))
        .map((words) => [...place.path, ...words].join(" "));
    });
    expect(covered.filter((line) => !ITS_WORK.test(line))).toEqual([]);
  });

  const strict = PLACES.filter(({ spec }) => spec.prints !== true);
  const name = fc.stringMatching(/^[a-z]{3,9}(?:-[a-z]{2,6})?$/);

  test("no long option that its table does not list", () => {
    fc.assert(
      fc.property(fc.constantFrom(...strict), name, fc.boolean(), (place, word, glued) => {
        fc.pre([...grammarOf(place.spec).long.keys()].every((long) => !long.startsWith(word)));
        const option = `--${word}`;
        fc.pre(
          !/^--(?:help|version|verbose|quiet|silent|json|dry-run|no-colou?r|colou?r)$/.test(option),
        );
        return !isCovered(place, glued ? [`${option}=${VALUE}`] : [option, VALUE]);
      }),
      { numRuns: 4000 },
    );
  });

  test("no letter that its table does not list", () => {
    const letters = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const plain = strict.filter(({ spec }) => spec.read === undefined);
    fc.assert(
      fc.property(fc.constantFrom(...plain), fc.constantFrom(...letters), (place, letter) => {
        fc.pre(!grammarOf(place.spec).short.has(letter));
        return !isCovered(place, [`-${letter}`, VALUE]);
      }),
      { numRuns: 4000 },
    );
  });
});
