import type { Contract } from "@bylaw/contract";
import type { JsonObject } from "@bylaw/kernel";
import type { DirectiveIssued } from "./directive-events.ts";

/** Something that is due because a task entered a phase. */
export type WorkflowDirective =
  | {
      readonly action: "spawn";
      readonly agentType: string;
      /** One agent is started for each model. */
      readonly models: readonly string[];
      readonly parallel: boolean;
      readonly waitForCompletion: boolean;
    }
  | { readonly action: string; readonly parallel: boolean; readonly params: JsonObject };

/**
 * The directives that the contract requires when a task moves from one phase (`null`: none) to another, in the order of the file:
 * the triggers of the transition, then the agents of the phase. Pure, so it gives the same after a crash. A trigger that starts
 * reviewers adds nothing if the phase starts its own.
 */
export function directivesOf(
  { phases, transitions }: Contract,
  from: string | null,
  to: string,
): readonly WorkflowDirective[] {
  const spawns = phases.find(({ id }) => id === to)?.spawns ?? [];
  const reviewers = spawns.some(({ agentType }) => agentType === "review");
  const triggers = transitions
    .filter((edge) => edge.from === from && edge.to === to)
    .flatMap((edge) => edge.triggers)
    .filter(({ action }) => !(reviewers && action === "spawn_review_agents"));
  return [...triggers, ...spawns.map((spawn) => ({ action: "spawn" as const, ...spawn }))];
}

/** One entry of a task into a phase. */
export interface PhaseEntry {
  /** The sequence of the event `phase_entered`. */
  readonly entered: number;
  readonly from: string | null;
  readonly to: string;
}

/** The events of an entry's directives: one for each trigger and each agent. Their ids identify the entry. */
export function directivesFor(
  contract: Contract,
  { entered, from, to }: PhaseEntry,
): readonly DirectiveIssued[] {
  return directivesOf(contract, from, to)
    .flatMap((one): readonly Omit<DirectiveIssued, "directive">[] => {
      if ("models" in one) {
        const { action, agentType: agent_type, parallel, waitForCompletion: wait } = one;
        return one.models.map((model) => ({ action, agent_type, model, parallel, wait }));
      }
      const { action, params, parallel } = one;
      return [{ action, params, parallel, wait: false }];
    })
    .map((one, index) => ({ directive: `${entered}.${index}`, ...one }));
}
