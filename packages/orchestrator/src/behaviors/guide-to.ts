import { phaseGuide, type PhaseGuide } from "@bylaw/contract";
import { oversight, oversightStatus } from "@bylaw/plugin-vibecheck";
import type { Service } from "../service/service.ts";

/** The guide to the phase. Its prompt ends with the advice of an oversight about this agent or task that nobody has acknowledged. */
export function guideTo(
  { contract, kernel, run }: Service,
  phase: string | null,
  who: { readonly agent: string; readonly task: string },
): PhaseGuide {
  const guide = phaseGuide(contract, phase);
  if (!kernel.declared.projections.some(({ name }) => name === oversight.name)) return guide;
  const { advice } = oversightStatus(run.view(oversight), who);
  if (advice === null || guide.prompt === "") return guide;
  return { ...guide, prompt: `${guide.prompt}\nAdvice of the oversight: ${advice}` };
}
