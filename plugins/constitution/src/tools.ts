import type { JsonObject } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { z } from "zod";
import { constitutionOf, resetConstitution, updateConstitution } from "./actions.ts";
import { RULE_LIMIT, readAs, ruleInput, type ConstitutionRule } from "./rule.ts";

/** A tool that a host offers to its agents: over MCP, HTTP, or as a function. */
export interface ConstitutionTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input: JsonObject;
  /** Throws BYLAW_CONSTITUTION_INVALID, BYLAW_CONSTITUTION_FULL, and what the run throws. */
  readonly call: (run: Run, args: unknown, agent: string) => Promise<{ readonly rules: readonly ConstitutionRule[] }>;
}

const resetInput = z.strictObject({ rules: z.array(ruleInput).max(RULE_LIMIT).describe("The rules that hold from now on") });
const none = z.strictObject({});
const schemaOf = (schema: z.ZodType): JsonObject => z.toJSONSchema(schema, { io: "input" }) as unknown as JsonObject;

/** The three tools, from one definition for every host. What they do is done as an agent: an operator's rules stay. */
export const CONSTITUTION_TOOLS: readonly ConstitutionTool[] = [
  {
    name: "update_constitution",
    description: "Add a rule that holds in this session from now on.",
    input: schemaOf(ruleInput),
    call: async (run, args, agent) => ({ rules: await updateConstitution(run, args, { by: agent, author: "agent" }) }),
  },
  {
    name: "reset_constitution",
    description: "Replace the rules that agents gave this session.",
    input: schemaOf(resetInput),
    call: async (run, args, agent) => ({
      rules: await resetConstitution(run, readAs(resetInput, "rules", args).rules, { by: agent, author: "agent" }),
    }),
  },
  {
    name: "get_constitution",
    description: "Read the rules of this session.",
    input: schemaOf(none),
    call: async (run, args) => {
      readAs(none, "arguments", args);
      return { rules: constitutionOf(run) };
    },
  },
];
