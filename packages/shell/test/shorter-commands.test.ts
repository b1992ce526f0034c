import { expect, it } from "vitest";
import { analyze } from "../src/index.ts";

const textOf = (argv: ReturnType<typeof analyze>["commands"][number]["argv"]): string =>
  argv
    .map(({ pieces }) =>
      pieces
        .map((piece) =>
          typeof piece === "string" ? piece : { any: "…", name: "*", number: "#" }[piece.hole],
        )
        .join(""),
    )
    .join(" ");

const commandsOf = (line: string, program: string): readonly string[] =>
  analyze(line)
    .commands.filter(({ argv }) => argv[0]?.text === program)
    .map(({ argv }) => textOf(argv));

it.each([
  ["sort $! b", ["sort # b", "sort b"]],
  ["sort $(mktemp) b", ["sort /tmp/tmp.XXXXXXXXXX b", "sort b"]],
  ["t=$(mktemp); sort $t b", ["sort /tmp/tmp.XXXXXXXXXX b", "sort b"]],
  ["sort $(ls) b", ["sort * b", "sort b"]],
  ["sort $(find a) b", ["sort a… a… a… b", "sort b", "sort a… b"]],
  ["find a | xargs sort -u", ["sort -u a… a… a…", "sort -u", "sort -u a…"]],
])("a command is also read without what may print nothing: %s", (line, commands) =>
  expect(commandsOf(line, "sort")).toEqual(commands),
);

it("every combination of them is read", () =>
  expect(commandsOf("sort $! -k $(mktemp)", "sort")).toEqual([
    "sort # -k /tmp/tmp.XXXXXXXXXX",
    "sort -k /tmp/tmp.XXXXXXXXXX",
    "sort -k",
    "sort # -k",
  ]));

it("too many of them are unknown", () => {
  const [sort] = analyze(`sort ${"$(mktemp) ".repeat(4)}`).commands;
  expect(sort?.unknown.map(({ code }) => code)).toEqual(["limit"]);
});

it.each([
  'sort "$(wc -l <a)" b',
  "sort $((a + 1)) b",
  'sort "$(mktemp)" b',
  't=$(mktemp); sort "$t" b',
  'for f in $(find a); do sort "$f" b; done',
])("a word that stays is read once: %s", (line) =>
  expect(commandsOf(line, "sort")).toHaveLength(1),
);

it("a deletion of nothing is no command", () =>
  expect(commandsOf("find a | xargs rm -rf", "rm")).toEqual(["rm -rf a… a… a…", "rm -rf a…"]));
