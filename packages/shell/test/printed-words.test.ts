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

it.each([
  "c=$(git rev-parse HEAD); cat $c/etc/passwd",
  "c=$(git rev-parse HEAD); cat $c",
  "c=$(git rev-parse HEAD); read c; cat $c; git show $c",
  "c=$(git rev-parse HEAD); f() { c=-x; }; f; git show $c",
  "if x; then c=$(git rev-parse HEAD); fi; git show $c",
  "while git show $c; do c=$(git rev-parse HEAD); c=$(x); done",
  "c=$(git log -1 --format=%s); git show $c",
  "b=$(git branch --show-current); git log $b",
  "git log $(git branch --show-current)",
  "for c in $(git log --format=%s -3); do git show $c; done",
  "for c in $(git log -p --format=%h -3); do git show $c; done",
  "for c in $(git rev-list --objects HEAD); do git show $c; done",
  "for c in $(git rev-list HEAD) -x; do git show $c; done",
  "c=-x; for c in $(git rev-list HEAD); do git show $c; done",
  "for c in $(git rev-list HEAD); do git show $c; done; git log $c",
])("a variable that may hold anything else is unknown: %s", (line) =>
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
])("the number of jobs of a build is a number: %s", (line, words) =>
  expect(wordsOf(line)).toEqual(words),
);

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

it.each([
  "cat $(git rev-parse secret.json)",
  'cat "$(git rev-parse main)"',
  'git rm -r "$(git rev-parse develop)"',
  "cat $(git rev-parse HEAD).env",
  "cat $(git rev-parse HEAD)/etc/passwd",
  "ls $(git merge-base a b)..",
  "ls $(git merge-base a b)../x",
  "sed $(git merge-base a b) s/x/id/e f",
  'cat "$(git log -1 --format=%s)"',
  'cat "$(git log -1 --format=%h; echo .env)"',
])("a word that may be something else is unknown: %s", (line) =>
  expect(wordsOf(line)).toContain(undefined),
);

it.each([
  "test $(git ls-files | wc -l) -gt 3",
  "n=$(git ls-files | wc -l); test $n -gt 3",
  'for f in src/*; do n=$(wc -l < "$f"); test "$n" -gt 3; done',
  "if a; then n=$(wc -l < a); test $n -gt 3; fi",
  'test "$(grep -c x a)" -gt 3',
  "test $(grep -ci 'x y' < a) -gt 3",
  "test $(date +%s) -gt 3",
  "n=$(nproc); test $n -gt 3",
  'test "$(grep -vc "x y" a 2>/dev/null)" -gt 3',
])("a count is a number: %s", (line) =>
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

it.each([
  "test $(wc -l a) -gt 3",
  "test $(wc a) -gt 3",
  "test $(wc -l <a; echo x) -gt 3",
  "test $(grep -c x a b) -gt 3",
  "test $(grep -c x *) -gt 3",
  "test $(grep -c $x a) -gt 3",
  "test $(grep -rc x a) -gt 3",
  "test $(grep -c x -r) -gt 3",
  "test $(grep -c '-r' x) -gt 3",
  'test $(grep -c "-r" x) -gt 3',
  'test $(grep -c "$x" x) -gt 3',
  "test $(grep -c x a 2>&1) -gt 3",
  "test $(grep x a) -gt 3",
  "test $(date +%sx) -gt 3",
  "test $(date -d x +%s) -gt 3",
  "test $(wc -l | tee x) -gt 3",
  'for f in a; do test "$n" -gt 3; n=$(wc -l < a); done',
  'for f in a; do n=$(wc -l < a); test "$n" -gt 3; n=$(cat a); done',
  'for f in a; do n=$(wc -l < a); read n; test "$n" -gt 3; done',
  'for f in a; do (n=$(wc -l < a)); test "$n" -gt 3; done',
  'for f in a; do b && n=$(wc -l < a); test "$n" -gt 3; done',
  'for f in a; do n=$(wc -l < a) & test "$n" -gt 3; done',
  'for f in a; do n=$(wc -l < a); done; test "$n" -gt 3',
  'n=x; for f in a; do n=$(wc -l < a); test "$n" -gt 3; done',
])("what may be more than a number is unknown: %s", (line) => {
  const test = commandOf(line, "test");
  expect(wordsOf(line, "test")).toContain(undefined);
  expect(test?.unknown.map(({ code }) => code)).toContain("dynamic_script");
});

it.each([
  ["a=$(date +%s); b=$(date +%s); echo $((b - a))", []],
  ['a="$(wc -l < x)"; echo $((a * 2))', []],
  ["a=$(cat x); echo $((a * 2))", ["dynamic_script"]],
  ["a=$(wc -l x); echo $((a * 2))", ["dynamic_script"]],
  ["a=($(date +%s) $(cat x)); echo $((a))", ["dynamic_script"]],
])("arithmetic of what substitutions print: %s", (line, codes) =>
  expect(commandOf(line, "echo")?.unknown.map(({ code }) => code)).toEqual(codes),
);

it.each(["date", "git", "nproc", "pwd"])("a function may not hide `%s`", (name) =>
  expect(
    analyze(`${name}() { cat x; }; echo $(${name})`).unknown.map(({ code }) => code),
  ).toContain("state"),
);
