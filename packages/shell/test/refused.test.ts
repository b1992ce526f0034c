import { readCases } from "@bylaw/testing";
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

const REFUSED = readCases<string>(import.meta, "refused");

it.each(REFUSED)("does not know %j, which bash refuses", (line) =>
  expect(codesOf(line)).toContain("syntax"),
);

it("tells what bash says of these lines", () => {
  expect(refused(REFUSED)).toEqual(REFUSED.map(() => true));
  expect(refused(TAKEN)).toEqual(TAKEN.map(() => false));
});

const TAKEN = readCases<string>(import.meta, "accepted");

it.each(TAKEN)("knows the syntax of %j", (line) => expect(codesOf(line)).not.toContain("syntax"));
