import { parsePolicy, PolicyError, type PolicyFile } from "@bylaw/policy-language";
import { BylawError, type JsonObject } from "@bylaw/kernel";
import { describeIssues, isBlank } from "@bylaw/wording";
import { stringify } from "smol-toml";
import { z } from "zod";

/** The most rules of a session. */
export const RULE_LIMIT = 50;
/** The life of rules without renewal, in milliseconds. */
export const RULE_LIFE_MS = 3_600_000;

/** The authors of rules. Agents cannot remove an operator's rules. */
export const AUTHORS = ["operator", "agent"] as const;
export type Author = (typeof AUTHORS)[number];

/** A rule as given: prose, and, if it can be checked, the keys of a policy rule. */
export const ruleInput = z.strictObject({
  rule: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .refine((text) => !isBlank(text), "must not be blank")
    .describe("What holds in this session, in one sentence"),
  check: z
    .record(z.string(), z.json())
    .optional()
    .describe(
      'The same as the keys of a policy rule that denies or asks: {"action": "deny", "command": "git push *"}',
    ),
});
export type RuleInput = z.output<typeof ruleInput>;

/** A rule in force. */
export interface ConstitutionRule extends JsonObject {
  /** Counts from 1 in each run, and is never reused. */
  readonly id: number;
  readonly rule: string;
  readonly check: JsonObject | null;
  readonly author: Author;
  /** The name of its author. */
  readonly by: string;
}

// Tiers, conditions and shadow rules are reserved for policy authors.
const KEYS: ReadonlySet<string> = new Set(
  "action tool command command_regex pattern server paths network args agent phase interactive reason fix match not_match".split(
    " ",
  ),
);

/** The policy that implements a rule's check. Throws BYLAW_CONSTITUTION_INVALID for a check that does not load, or that allows. */
export function policyOf({
  id,
  rule,
  check,
}: {
  readonly id: number;
  readonly rule: string;
  readonly check: JsonObject;
}): PolicyFile {
  const other = Object.keys(check).find((key) => !KEYS.has(key));
  if (other !== undefined)
    throw invalid(
      `unknown key \`${other.slice(0, 80)}\` of the check; known keys: ${[...KEYS].join(", ")}`,
    );
  if (check["action"] !== "deny" && check["action"] !== "ask_user")
    throw invalid("the action of the check must be `deny` or `ask_user`");
  const reason = `This breaks a rule of the session: ${rule.slice(0, 300)}`;
  try {
    return parsePolicy(stringify({ rules: [{ reason, ...check, name: `rule-${id}` }] }), {
      file: "constitution",
      operator: true,
    });
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw invalid(`check of a rule: ${error.findings.map(({ message }) => message).join("; ")}`);
  }
}

/** Parses a rule strictly. Throws BYLAW_CONSTITUTION_INVALID. */
export function readRule(given: unknown): RuleInput {
  const read = readAs(ruleInput, "rule", given);
  const { rule, check } = read;
  if (check !== undefined) policyOf({ id: 1, rule, check });
  return read;
}

/** Parses a caller's value. Throws BYLAW_CONSTITUTION_INVALID. */
function readAs<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw invalid(`${what}: ${describeIssues(parsed.error, "it")}`);
  return parsed.data;
}

const invalid = (what: string): BylawError =>
  new BylawError({
    code: "BYLAW_CONSTITUTION_INVALID",
    message: `The rule cannot be used: ${what}`,
    fix: "Write prose and, if it can be checked, a check that denies or asks",
  });
