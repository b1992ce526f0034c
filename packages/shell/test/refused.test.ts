import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { codesOf } from "./kit.ts";
import { refused, soup } from "./refused.ts";

it("treats every line that bash rejects as unknown", { timeout: 60_000 }, () => {
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

it.each(REFUSED)("treats %j, which bash rejects, as unknown", (line) =>
  expect(codesOf(line)).toContain("syntax"),
);

it("agrees with bash about these lines", () => {
  expect(refused(REFUSED)).toEqual(REFUSED.map(() => true));
  expect(refused(TAKEN)).toEqual(TAKEN.map(() => false));
});

const TAKEN = readCases<string>(import.meta, "accepted");

it.each(TAKEN)("accepts the syntax of %j", (line) => expect(codesOf(line)).not.toContain("syntax"));
