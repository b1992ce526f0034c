import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { parseContract, type Contract } from "@bylaw/contract";
import { transitionNeedsTests } from "../src/index.ts";

const GREEN = { rule: "tests_passed", message: "green" };
const COVERED = {
  description: "All of it",
  passes_when: { all: [{ fact: "evidence", path: "$.coverage", operator: "equal", value: 100 }] },
};
const SAID = {
  description: "A word",
  passes_when: {
    all: [{ fact: "artifacts", path: "$.plan.title", operator: "equal", value: "x" }],
  },
};

const gate = (id: string, check: string): object => ({
  id,
  type: "validation",
  blockers: [{ check, severity: "blocking", message: id }],
});
const phase = (id: string, more: object = {}): object => ({
  id,
  name: id,
  allowed_tools: ["read_files", "run_tests"],
  ...more,
});
const hands = (type: string, ...validation: readonly object[]): object => ({
  type,
  description: type,
  validation,
});
const needsGreen = { required_artifacts: [hands("test_run_result", GREEN)] };

const contract = (more: object = {}): Contract =>
  parseContract(
    JSON.stringify({
      ...{
        bylaw: 1,
        name: "Ways",
        evidence: "observed",
        test_command: { argv: ["npm", "test"], format: "tap" },
      },
      enforcement: { mode: "strict" },
      checks: { covered: COVERED, said: SAID },
      phases: [
        phase("A", {
          required_artifacts: [hands("test_run_result"), hands("plan")],
          gates: [gate("red", "tests_are_failing"), gate("word", "said")],
        }),
        phase("B", { gates: [gate("all", "covered")] }),
        phase("C", needsGreen),
        phase("D", needsGreen),
      ],
      transitions: [
        { from: "A", to: "B", gate: "red" },
        { from: "A", to: "C", gate: "word" },
        { from: "B", to: "C", gate: "all" },
        { from: "B", to: "A", gate: "all", when: "rejected" },
        { from: "C", to: "D" },
      ],
      ...more,
    }),
    "ways.yaml",
  );

describe("a transition needs a test run", () => {
  it.each(readCases<[string, string, string, boolean]>(import.meta, "transitions"))(
    "%s",
    (_, from, to, asks) => {
      expect(transitionNeedsTests(contract(), from, to)).toBe(asks);
    },
  );

  it("nowhere if nobody runs tests, or if the agent's report counts", () => {
    expect(transitionNeedsTests(contract({ evidence: "reported" }), "A", "B")).toBe(false);
    expect(
      transitionNeedsTests(contract({ test_command: undefined, evidence: "reported" }), "A", "B"),
    ).toBe(false);
  });
});
