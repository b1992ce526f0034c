import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { analyze } from "../src/index.ts";

const pathsOf = (line: string): readonly (string | undefined)[] =>
  analyze(line).commands.flatMap(({ argv, effects }) =>
    argv[0]?.text === "cat"
      ? effects.flatMap((effect) => ("path" in effect ? [effect.path.text] : []))
      : [],
  );

const NEW = "/tmp/tmp.XXXXXXXXXX";

it.each([
  ['cat "$(mktemp -d)/y"', `${NEW}/y`],
  ['t=$(mktemp -d); cat "$t/out/y.json"', `${NEW}/out/y.json`],
  ['cat "$(mktemp).json"', `${NEW}.json`],
  ['t=$(mktemp -d); cd "$t/a" && cat b', `${NEW}/a/b`],
])("a path below a new folder is known: %s", (line, path) => expect(pathsOf(line)).toEqual([path]));

// What is left if `mktemp` prints nothing.
it.each(readCases<string>(import.meta, "unclear-paths"))(
  "a path that may lead elsewhere is unknown: %s",
  (line) => expect(pathsOf(line)).toEqual([undefined]),
);

it("an option whose value may be missing is unknown", () => {
  const [sort] = analyze('sort -T"$(mktemp -d)" -T -o.git/config a').commands;
  expect(sort?.argv[1]?.text).toBeUndefined();
});
