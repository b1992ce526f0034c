import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { BylawError, messageOf, omitUndefined, type ToolCall } from "@bylaw/kernel";
import { parsePolicy, type ToolTable } from "@bylaw/policy-language";
import { count } from "../io/text.ts";
import type { LearnedRule } from "./learn-rules.ts";

/** How many of the saved calls, and of those beyond the rule, become cases. */
const MAX_CASES = 3;

/**
 * Appends a rule to a policy, and cases to the file beside it: `policy.cases.jsonl` for `policy.toml`. Throws a PolicyError if the
 * policy would not load, and BYLAW_POLICY_UNWRITABLE.
 */
export function acceptRule(rule: LearnedRule, policy: string, tools: ToolTable) {
  const { name, toml, calls, beyond } = rule;
  const before = existsSync(policy) ? readFileSync(policy, "utf8") : "";
  const added = `${before === "" || before.endsWith("\n") ? "" : "\n"}${before === "" ? "" : "\n"}${toml}`;
  parsePolicy(before + added, { file: policy, tools, operator: true });
  const cases = casesBeside(policy);
  const lines = [
    ...calls
      .slice(0, MAX_CASES)
      .map(({ call }) => ({ ...callIn(call), must: "allow", rule: name })),
    ...beyond.slice(0, MAX_CASES).map((call) => ({ ...callIn(call), must_not: "allow" })),
  ].map((one, at) => `${JSON.stringify({ id: `${name}-${at + 1}`, ...one })}\n`);
  try {
    mkdirSync(dirname(policy), { recursive: true });
    // The rule comes last, so that after an error it is not in force.
    appendFileSync(cases, lines.join(""));
    appendFileSync(policy, added);
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_POLICY_UNWRITABLE",
      message: `Cannot add ${name} to ${policy}: ${messageOf(cause)}`,
      fix: "Name a file in a folder that you may write to",
      cause,
    });
  }
  return { policy, cases, rule: name, cases_added: lines.length };
}

/** Says what was added. */
export const acceptedText = ({
  policy,
  cases,
  rule,
  cases_added,
}: ReturnType<typeof acceptRule>): string =>
  `Added ${rule} to ${policy}, and ${count(cases_added, "case")} to ${cases}\n`;

/** The file of the cases of a policy that was learned: `policy.cases.jsonl` for `policy.toml`. */
export const casesBeside = (policy: string): string =>
  policy.replace(/(?:\.toml)?$/, ".cases.jsonl");

// Folders are left out, so that the cases hold on every machine.
const callIn = ({ tool, args, server, agent, phase }: ToolCall): object =>
  omitUndefined({ tool, args, server, agent, phase });
