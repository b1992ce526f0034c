import type { Step } from "../template/template.ts";
import type { OversightQuestion, WorkflowOptions } from "./options.ts";
import { resultOf, workflowState } from "./state/projection.ts";
import type { ActiveAgent } from "./state/types.ts";

/** How many steps an oversight is told of. */
const STEPS = 200;
/** The longest prompt that it is told, in UTF-16 units. */
const PROMPT = 8_000;

/** What an oversight is asked about a step: why, of whom, and where the workflow stands. */
export function oversightQuestion(
  { template, run }: Pick<WorkflowOptions, "template" | "run">,
  step: Step,
  agent: string | null,
  reason: string | null,
): OversightQuestion {
  const { steps, agents, description, name } = template;
  const state = run.view(workflowState);
  const history = steps.slice(0, STEPS).flatMap(({ id }) => {
    const result = resultOf(state, id);
    return result === undefined
      ? []
      : [`${id}: ${result.status}, visit ${result.visits}, attempt ${result.attempts}`];
  });
  const own = agent === null || !Object.hasOwn(agents, agent) ? "" : (agents[agent]?.prompt ?? "");
  const plan = steps.slice(0, STEPS).map(({ id }) => id);
  return {
    kind: step.kind,
    goal: description === "" ? name : description,
    plan: `Step ${step.id} of: ${plan.join(", ")}`,
    agent,
    step: step.id,
    reason,
    prompt: [own, step.prompt]
      .filter((text) => text !== "")
      .join("\n\n")
      .slice(0, PROMPT),
    history,
    progress: `Step ${state.cursor + 1} of ${steps.length}`,
  };
}

/** Why an agent asked for oversight, in its words. */
export const reasonOf = ({ request }: ActiveAgent): string | null =>
  typeof request?.reason === "string" ? request.reason : null;
