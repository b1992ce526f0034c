import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { LOG_RULES, type LogRuleId } from "../src/index.ts";
import { brief, verify } from "./log-kit.ts";

/** A log whose last line breaks a rule or does not. */
interface Case {
  readonly rule: LogRuleId;
  readonly case: string;
  readonly breaks: boolean;
  readonly lines: readonly string[];
}

const cases = readCases<Case>(import.meta, "cases");
const rows = (breaks: boolean): readonly (readonly [string, string, Case])[] =>
  cases.filter((one) => one.breaks === breaks).map((one) => [one.rule, one.case, one]);

describe("every rule", () => {
  it.each(rows(true))("%s is found: %s", (_, __, { rule, lines }) => {
    const found = verify(lines);
    expect(brief(found)).toEqual([`${lines.length} ${rule}`]);
    expect(found[0]?.severity).toBe(LOG_RULES[rule].severity);
    expect(found[0]?.message).toMatch(/^[^\n]+$/);
  });

  it.each(rows(false))("%s is not found: %s", (_, __, { lines }) => {
    expect(brief(verify(lines))).toEqual([]);
  });
});
