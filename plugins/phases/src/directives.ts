import type { Contract } from "@bylaw/contract";
import type { JsonObject } from "@bylaw/kernel";

/** What somebody has to do because a task entered a phase. */
export type WorkflowDirective =
  | {
      readonly action: "spawn";
      readonly agentType: string;
      /** One agent for each. */
      readonly models: readonly string[];
      readonly parallel: boolean;
      readonly waitForCompletion: boolean;
    }
  | { readonly action: string; readonly parallel: boolean; readonly params: JsonObject };

/**
 * What the contract wants done when a task has gone from one phase (`null`: none) to another, in the order of the file: the triggers of the
 * transition, then the agents of the phase. Pure: asked again after a crash it says the same.
 */
export function directivesOf({ phases, transitions }: Contract, from: string | null, to: string): readonly WorkflowDirective[] {
  const triggers = transitions.filter((way) => way.from === from && way.to === to).flatMap((way) => way.triggers);
  const spawns = phases.find(({ id }) => id === to)?.spawns ?? [];
  return [...triggers, ...spawns.map((spawn) => ({ action: "spawn" as const, ...spawn }))];
}
