import type { Run } from "@bylaw/log";
import { defineTool, type RunContext, type Tool } from "@bylaw/tools";
import { z } from "zod";
import {
  constitutionOf,
  resetConstitution,
  updateConstitution,
  type RuleAuthor,
} from "./actions.ts";
import { RULE_LIMIT, ruleInput, type ConstitutionRule } from "./rule.ts";
import { rulesFor } from "./state.ts";

/** What these tools need of their carrier: a run, and the agent that calls. */
export interface ConstitutionContext extends RunContext<Run> {
  /** Whether the rules of an agent are its own: `hasOwnRules` of the kernel of the run. Default `false`. */
  readonly own?: boolean;
}

const asAgent = ({ agent, own = false }: ConstitutionContext): RuleAuthor => ({
  by: agent,
  author: "agent",
  own,
});

// What another agent gave itself is no rule for this one, and its words are not those of anybody who may tell it what to do.
const told = (rules: readonly ConstitutionRule[], { agent, own = false }: ConstitutionContext) => ({
  rules: rulesFor(rules, agent, own),
});

/**
 * The three tools, from one definition for every carrier. What they do is done as the agent that the carrier has made sure of: the rules of
 * operators stay. They throw BYLAW_CONSTITUTION_INVALID, BYLAW_CONSTITUTION_FULL, and what the run throws.
 */
export const CONSTITUTION_TOOLS: readonly Tool<ConstitutionContext>[] = [
  defineTool({
    name: "update_constitution",
    description:
      "Add a rule that holds in this run from now on. A rule denies or asks, and never allows.",
    input: ruleInput,
    run: async (given, context: ConstitutionContext) =>
      told(await updateConstitution(context.run, given, asAgent(context)), context),
  }),
  defineTool({
    name: "reset_constitution",
    description:
      "Replace the rules that agents gave this run, or those that you gave it where each agent has its own. Those of operators stay.",
    input: z.strictObject({
      rules: z.array(ruleInput).max(RULE_LIMIT).describe("What holds from now on instead"),
    }),
    run: async ({ rules }, context: ConstitutionContext) =>
      told(await resetConstitution(context.run, rules, asAgent(context)), context),
  }),
  defineTool({
    name: "get_constitution",
    description: "Read the rules that hold for you in this run. Reading keeps none of them alive.",
    input: z.strictObject({}),
    annotations: { readOnlyHint: true },
    run: async (_, context: ConstitutionContext) => {
      await context.run.catchUp();
      return told(constitutionOf(context.run), context);
    },
  }),
];
