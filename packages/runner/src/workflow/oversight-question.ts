import type { Step } from "../template/template.ts";
import type { OversightQuestion, WorkflowOptions } from "./options.ts";
import { resultOf, workflowState } from "./state/projection.ts";
import type { ActiveAgent } from "./state/types.ts";

/** The most steps that an oversight request lists. */
const STEPS = 200;
/** The longest prompt in an oversight request, in UTF-16 units. */
const PROMPT = 8_000;

/** The question to an oversight about a step: why, by whom, and the state of the workflow. */
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

/** The agent's reason for requesting oversight. */
export const reasonOf = ({ request }: ActiveAgent): string | null =>
  typeof request?.reason === "string" ? request.reason : null;
