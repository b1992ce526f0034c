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

/** What these tools need from their caller: a run, and the calling agent. */
export interface ConstitutionContext extends RunContext<Run> {
  /** Whether each agent has its own rules: `hasOwnRules` of the run's kernel. Default `false`. */
  readonly own?: boolean;
}

const asAgent = ({ agent, own = false }: ConstitutionContext): RuleAuthor => ({
  by: agent,
  author: "agent",
  own,
});

// With own rules, another agent's rules do not bind this one, and their words must not instruct it.
const visibleRules = (
  rules: readonly ConstitutionRule[],
  { agent, own = false }: ConstitutionContext,
) => ({ rules: rulesFor(rules, agent, own) });

/**
 * The three tools for agents. They act as the agent that the host has authenticated, and keep operators' rules. They throw
 * BYLAW_CONSTITUTION_INVALID, BYLAW_CONSTITUTION_FULL, and what the run throws.
 */
export const CONSTITUTION_TOOLS: readonly Tool<ConstitutionContext>[] = [
  defineTool({
    name: "update_constitution",
    description:
      "Add a rule that holds in this run from now on. A rule denies or asks, and never allows.",
    input: ruleInput,
    run: async (given, context: ConstitutionContext) =>
      visibleRules(await updateConstitution(context.run, given, asAgent(context)), context),
  }),
  defineTool({
    name: "reset_constitution",
    description:
      "Replace the rules by agents in this run, or only your own where each agent has its own. Operators' rules stay.",
    input: z.strictObject({
      rules: z.array(ruleInput).max(RULE_LIMIT).describe("The rules that hold from now on"),
    }),
    run: async ({ rules }, context: ConstitutionContext) =>
      visibleRules(await resetConstitution(context.run, rules, asAgent(context)), context),
  }),
  defineTool({
    name: "get_constitution",
    description: "Read the rules that bind you in this run. Reading does not extend their life.",
    input: z.strictObject({}),
    annotations: { readOnlyHint: true },
    run: async (_, context: ConstitutionContext) => {
      await context.run.catchUp();
      return visibleRules(constitutionOf(context.run), context);
    },
  }),
];
