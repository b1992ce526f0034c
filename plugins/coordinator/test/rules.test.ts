import { createLogVerifier } from "@bylaw/log";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { COORDINATOR_RULES, coordinatorOrder, type CoordinatorRule } from "../src/index.ts";

/** A log whose last line breaks a rule, or does not. */
interface Case {
  readonly rule: CoordinatorRule;
  readonly case: string;
  readonly breaks: boolean;
  readonly lines: readonly string[];
}

const cases = readCases<Case>(import.meta, "cases");
const rows = (breaks: boolean): readonly (readonly [string, string, Case])[] =>
  cases.filter((one) => one.breaks === breaks).map((one) => [one.rule, one.case, one]);

function findingsOf(lines: readonly string[]): readonly string[] {
  const verifier = createLogVerifier({ order: coordinatorOrder });
  return lines.flatMap((text) =>
    verifier.line(text).map(({ line, rule, severity }) => `${line} ${rule} ${severity}`),
  );
}

describe("every order rule", () => {
  it.each(rows(true))("%s is found: %s", (_, __, { rule, lines }) => {
    expect(findingsOf(lines)).toEqual([
      `${lines.length} ${rule} ${COORDINATOR_RULES[rule].severity}`,
    ]);
  });

  it.each(rows(false))("%s is not found: %s", (_, __, { lines }) => {
    expect(findingsOf(lines)).toEqual([]);
  });
});
