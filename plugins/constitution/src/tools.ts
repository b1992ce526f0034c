import type { Run } from "@bylaw/log";
import { defineTool, type RunContext, type Tool } from "@bylaw/tools";
import { z } from "zod";
import { constitutionOf, resetConstitution, updateConstitution, type RuleAuthor } from "./actions.ts";
import { RULE_LIMIT, ruleInput } from "./rule.ts";

/** What these tools need of their carrier: a run, and the agent that calls. */
export interface ConstitutionContext extends RunContext<Run> {
  /** Whether the rules of an agent are its own: `hasOwnRules` of the kernel of the run. Default `false`. */
  readonly own?: boolean;
}

const asAgent = ({ agent, own = false }: ConstitutionContext): RuleAuthor => ({ by: agent, author: "agent", own });

/**
 * The three tools, from one definition for every carrier. What they do is done as the agent that the carrier has made sure of: the rules of
 * operators stay. They throw BYLAW_CONSTITUTION_INVALID, BYLAW_CONSTITUTION_FULL, and what the run throws.
 */
export const CONSTITUTION_TOOLS: readonly Tool<ConstitutionContext>[] = [
  defineTool({
    name: "update_constitution",
    description: "Add a rule that holds in this run from now on. A rule denies or asks, and never allows.",
    input: ruleInput,
    run: async (given, context: ConstitutionContext) => ({ rules: await updateConstitution(context.run, given, asAgent(context)) }),
  }),
  defineTool({
    name: "reset_constitution",
    description:
      "Replace the rules that agents gave this run, or those that you gave it where each agent has its own. Those of operators stay.",
    input: z.strictObject({ rules: z.array(ruleInput).max(RULE_LIMIT).describe("What holds from now on instead") }),
    run: async ({ rules }, context: ConstitutionContext) => ({ rules: await resetConstitution(context.run, rules, asAgent(context)) }),
  }),
  defineTool({
    name: "get_constitution",
    description: "Read the rules of this run. Reading keeps none of them alive.",
    input: z.strictObject({}),
    annotations: { readOnlyHint: true },
    run: async (_, { run }: ConstitutionContext) => {
      await run.catchUp();
      return { rules: constitutionOf(run) };
    },
  }),
];
