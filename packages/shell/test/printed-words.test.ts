import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { analyze, type ShellCommand } from "../src/index.ts";

const commandOf = (line: string, name?: string): ShellCommand | undefined =>
  analyze(line).commands.find(({ argv }) => name === undefined || argv[0]?.text === name);

const ID = "a".repeat(40);

const wordsOf = (line: string, name?: string): readonly (string | undefined)[] =>
  (commandOf(line, name)?.argv ?? []).map(
    ({ text, pieces }) =>
      text ??
      (pieces.every((piece) => typeof piece !== "string" && piece.hole === "number")
        ? "#"
        : undefined),
  );

it.each([
  ["git diff $(git merge-base main HEAD)", ["git", "diff", ID]],
  ["git log $(git merge-base origin/main HEAD)..HEAD", ["git", "log", `${ID}..HEAD`]],
  ["git show $(git rev-parse --short HEAD~2) -- src", ["git", "show", ID, "--", "src"]],
  ['git tag x "$(git log -1 --format=%h)"', ["git", "tag", "x", ID]],
  ['git log "$(git rev-parse main)"', ["git", "log", ID]],
  ["git --no-pager show $(git rev-parse HEAD)", ["git", "--no-pager", "show", ID]],
  ['test "$(git rev-parse main)" = x', ["test", ID, "=", "x"]],
  ["echo $(git rev-parse HEAD)", ["echo", ID]],
  ['git log main.."$(git branch --show-current)"', ["git", "log", `main..${ID}`]],
])("the id of a commit is a word: %s", (line, words) => expect(wordsOf(line)).toEqual(words));

it.each([
  ["c=$(git merge-base main HEAD); git diff $c --stat", ["git", "diff", ID, "--stat"]],
  ['c="$(git merge-base main HEAD)" && git diff "$c"..HEAD', ["git", "diff", `${ID}..HEAD`]],
  ["c=$(git rev-parse HEAD); d=$c; git show ${d}", ["git", "show", ID]],
  ["for c in $(git rev-list --reverse a..b); do git show $c; done", ["git", "show", ID]],
  ["for c in $(git log --format=%h -3); do git show $c; done", ["git", "show", ID]],
])("a variable holds the id of a commit: %s", (line, words) =>
  expect(
    analyze(line)
      .commands.map(({ argv }) => argv.map(({ text }) => text))
      .filter(([, sub]) => sub === "diff" || sub === "show"),
  ).toContainEqual(words),
);

it.each(readCases<string>(import.meta, "unclear-variables"))(
  "a variable that may hold anything else is unknown: %s",
  (line) =>
    expect(analyze(line).commands.flatMap(({ argv }) => argv.map(({ text }) => text))).toContain(
      undefined,
    ),
);

it.each([
  ["make -j$(nproc) all", ["make", "-j2", "all"]],
  ['cmake --build build --parallel "$(nproc)"', ["cmake", "--build", "build", "--parallel", "2"]],
  ["xargs -j$(nproc) rm", ["xargs", undefined, "rm"]],
  ["make -j$(nproc; echo x)", ["make", undefined]],
  ["make -C$(nproc)", ["make", undefined]],
  ["make -C $(nproc) all", ["make", "-C", undefined, "all"]],
  ["make -j $(nproc) all", ["make", "-j", "2", "all"]],
])("the number of jobs of a build is a number: %s", (line, words) =>
  expect(wordsOf(line)).toEqual(words),
);

it.each([
  ["kill $!", "%1"],
  ['x & p=$!; kill -9 "$p"', "%1"],
  ["x & p=$!; wait $p", "%1"],
  ["kill $$", undefined],
  ["kill $PPID", undefined],
  ["p=$PPID; kill $p", undefined],
  ["p=$(cat a); kill $p", undefined],
  ["kill -$!", undefined],
  ["x & p=$!; read p; kill $p", undefined],
  ["(p=$!); kill $p", undefined],
  ["echo $!", undefined],
])("the last background job is a job of this shell: %s", (line, text) => {
  const commands = analyze(line).commands.filter(({ argv }) => argv.length > 1);
  expect(commands.at(-1)?.argv.at(-1)?.text).toBe(text);
});

it.each([
  ["echo $(date)", true],
  ["d=$(date +%F); echo a $d", true],
  ["echo $(pwd)", true],
  ["echo $(date +'*')", false],
  ["echo $(cat a)", false],
  ["a=$(cat b); echo $a", false],
  ["cat $(date)", false],
])("echo prints what has no wildcards as one word: %s", (line, single) =>
  expect(commandOf(line, line.includes("cat $(") ? "cat" : "echo")?.argv.at(-1)?.single).toBe(
    single,
  ),
);

it.each(readCases<string>(import.meta, "unclear-words"))(
  "a word that may be something else is unknown: %s",
  (line) => expect(wordsOf(line)).toContain(undefined),
);

it.each(readCases<string>(import.meta, "counts"))("a count is a number: %s", (line) =>
  expect(wordsOf(line, "test")).toEqual(["test", "#", "-gt", "3"]),
);

it.each([
  'cat "$(wc -l < nope)/etc/passwd"',
  'cat "$(wc -l < nope).env"',
  "cat $(grep -c x nope)/etc/passwd",
  'n=$(wc -l < nope); cat "$n/etc/passwd"',
  'for f in a; do n=$(wc -l < nope); cat "$n/etc/passwd"; done',
  "cat $!/etc/passwd",
  "sed $(grep -c x nope) s/x/id/e f",
])("a count that may be missing begins no other word: %s", (line) => {
  const pieces = [commandOf(line, "cat"), commandOf(line, "sed")].flatMap(
    (command) => command?.argv[1]?.pieces ?? [],
  );
  expect(pieces[0]).toEqual({ hole: "any" });
});

it.each(readCases<string>(import.meta, "unclear-counts"))(
  "what may be more than a number is unknown: %s",
  (line) => {
    const test = commandOf(line, "test");
    expect(wordsOf(line, "test")).toContain(undefined);
    expect(test?.unknown.map(({ code }) => code)).toContain("dynamic_script");
  },
);

it.each([
  ["[[ $(wc -l < a) -gt 3 ]]", []],
  ['[[ 3 -lt "$(grep -c x a)" ]]', []],
  ["[[ $(wc -l a) -gt 3 ]]", ["syntax"]],
  ["[[ $(cat a) -gt 3 ]]", ["syntax"]],
  ["[[ 'x[$(cat a)]' -gt 3 ]]", ["syntax"]],
])("a count in a condition is a number: %s", (line, codes) =>
  expect(analyze(line).unknown.map(({ code }) => code)).toEqual(codes),
);

it.each([
  ["a=$(date +%s); b=$(date +%s); echo $((b - a))", []],
  ['a="$(wc -l < x)"; echo $((a * 2))', []],
  ["a=$(cat x); echo $((a * 2))", ["dynamic_script"]],
  ["a=$(wc -l x); echo $((a * 2))", ["dynamic_script"]],
  ["a=($(date +%s) $(cat x)); echo $((a))", ["dynamic_script"]],
])("arithmetic of what substitutions print: %s", (line, codes) =>
  expect(commandOf(line, "echo")?.unknown.map(({ code }) => code)).toEqual(codes),
);

it.each(["date", "nproc", "pwd"])("a function that hides `%s` is unknown", (name) =>
  expect(
    commandOf(`${name}() { cat x; }; echo $(${name})`, name)?.unknown.map(({ code }) => code),
  ).toEqual(["state"]),
);
