import { expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { codesOf } from "./kit.ts";
import { refused, soup } from "./refused.ts";

it("does not know any line that bash refuses", { timeout: 60_000 }, () => {
  const lines = soup(700, 33);
  const answers = refused(lines);
  expect(answers.filter((answer) => answer).length).toBeGreaterThan(400);
  expect(answers.filter((answer) => !answer).length).toBeGreaterThan(100);
  const known = lines.filter(
    (line, index) =>
      answers[index] && analyze(line).commands.length > 0 && codesOf(line).length === 0,
  );
  expect(known).toEqual([]);
});

const REFUSED = [
  "ls (",
  "ls (id",
  "ls a (b",
  "a( ",
  "ls $[",
  "cat f $[ 1",
  "cat a$[",
  "ls $[x[0]",
  'ls "$["',
  'ls "a $[ 1"',
  "ls @(a)",
  "ls !(a)",
  "ls <<'E",
  "ls > 2> f",
  "ls << {x}> f",
  "ls <& x=(a)",
  "echo $(ls ( )",
  "ls ;! &",
];

it.each(REFUSED)("does not know %j, which bash refuses", (line) =>
  expect(codesOf(line)).toContain("syntax"),
);

it("tells what bash says of these lines", () => {
  expect(refused(REFUSED)).toEqual(REFUSED.map(() => true));
  expect(refused(TAKEN)).toEqual(TAKEN.map(() => false));
});

const TAKEN = [
  "ls '('",
  "ls \\(",
  "ls '$['",
  "ls \\$[a]",
  'ls "\\$["',
  "(ls)",
  "echo $(ls; (id))",
  "cat <<E a\nb\nE",
  "cat <<'E' 2>&1 <f\nb\nE",
  "ls 2>&1 >f",
  "ls \\\n a",
  "ls a # (b",
  "ls > f 2> g",
  "ls -a `ls b`",
  'echo "$(ls "$(id)")"',
  "f() { ls; }",
  "case a in (a) ls;; b) id;; esac",
];

it.each(TAKEN)("knows the syntax of %j", (line) => expect(codesOf(line)).not.toContain("syntax"));
