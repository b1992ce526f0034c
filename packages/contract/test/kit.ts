import { join } from "node:path";
import { readFileSync } from "node:fs";
import {
  lintContract,
  migrateContract,
  type ContractFinding,
  type ContractOptions,
  type ProposedTestCommand,
} from "../src/index.ts";
import { expect } from "vitest";

/** The original contract, unchanged. */
export const ORIGINAL_FILE = `${import.meta.dirname}/fixtures/agent_workflow.yaml`;
export const ORIGINAL = readFileSync(ORIGINAL_FILE, "utf8");

/** The test command of the project for which the original is migrated. */
export const TESTS: ProposedTestCommand = {
  argv: ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"],
  format: "junit",
  report: "report.xml",
  source: "package.json",
};

/** The original after its migration. */
export const MIGRATED = migrateContract(ORIGINAL, "agent_workflow.yaml", { testCommand: TESTS });

/** A contract of the newest form without findings. */
export const CLEAN = readFileSync(join(import.meta.dirname, "fixtures/kit-clean.yaml"), "utf8");

/** Replaces one part of a text. The part must exist. */
export function changed(
  text: string,
  ...edits: readonly (readonly [from: string, to: string])[]
): string {
  return edits.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, () => to);
  }, text);
}

/** The findings of a text. */
export const findingsIn = (
  text: string | Uint8Array,
  options: ContractOptions = {},
): readonly ContractFinding[] => lintContract(text, "c.yaml", options).findings;

/** The findings as `severity code`. */
export const brief = (findings: readonly ContractFinding[]): readonly string[] =>
  findings.map(({ severity, code }) => `${severity} ${code}`);

/** The text at the place of a finding. */
export const pointed = (text: string, { line, column }: ContractFinding): string =>
  (text.split(/\r?\n/)[line - 1] ?? "").slice(column - 1);
