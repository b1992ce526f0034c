import type { ToolCall } from "@bylaw/kernel";
import { expect } from "vitest";
import {
  compilePolicy,
  importPolicy,
  parsePolicy,
  type ImportedPolicy,
  type ImportInput,
  type ImportSource,
  type PolicyPool,
} from "../src/index.ts";

/** The result of an import, loaded. */
export interface Loaded extends ImportedPolicy {
  readonly pool: PolicyPool;
  /** Returns the effect of a call: that of the vote, or else the default. */
  readonly effectOf: (call: ToolCall) => string | undefined;
  /** `severity line:column` of each finding. */
  readonly report: readonly string[];
}

/** Imports texts, and checks that the result loads without a finding. */
export async function imported(
  source: ImportSource,
  ...texts: readonly (string | ImportInput)[]
): Promise<Loaded> {
  const inputs = texts.map((text, at) =>
    typeof text === "string" ? { file: `source-${at + 1}`, text } : text,
  );
  const result = await importPolicy(source, inputs);
  const file = parsePolicy(result.toml, { file: "imported.toml" });
  expect(file.warnings).toEqual([]);
  expect(file.rules).toHaveLength(result.rules);
  const pool = compilePolicy([file]);
  return {
    ...result,
    pool,
    effectOf(call) {
      const votes = pool.evaluate(call) ?? [];
      expect(votes.length).toBeLessThanOrEqual(1);
      return votes[0]?.effect ?? pool.fallback;
    },
    report: result.findings.map(({ severity, line, column }) => `${severity} ${line}:${column}`),
  };
}

/** Creates Claude Code's settings with these permissions. */
export const settings = (permissions: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ permissions });
