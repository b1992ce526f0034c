import { deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import type { ActiveAgent } from "./state/types.ts";
import { workflowState } from "./state/projection.ts";

/** Why a request was refused that followed a granted one. */
export const DUPLICATE_REQUEST_CODES = {
  behavior_second: "An earlier request of this step was granted and is carried out first",
} as const;

/**
 * Whether a request follows one that was granted. Then only a stop or a pause is accepted, because
 * asking a person is always safe.
 */
export const isDuplicateRequest = ({ asked }: ActiveAgent, action: string): boolean =>
  asked === "granted" && action !== "stop" && action !== "checkpoint";

/**
 * Whether a second request asks for oversight or a loop that the granted one does not. To ignore it
 * would silence the agent.
 */
export const wantsOversight = ({ request, directive }: ActiveAgent, action: string): boolean =>
  (action === "loop" || action === "vibecheck") &&
  ![request?.action, directive?.["action"]].includes(action);

/** The message for a second request. */
export const duplicateRequestText = ({ request }: ActiveAgent, action: string): string =>
  `\`${action}\` cannot be granted: this step was already granted \`${String(request?.action)}\``;

/** Refuses a request that would be granted but never carried out, however it is made. Pure. */
export function refuseDuplicateRequest(
  { action, agent, step }: Behavior,
  view: View,
): Verdict | undefined {
  const tops = view(workflowState).units.flatMap((activeStep) => {
    const top = activeStep.frames.at(-1);
    return activeStep.settled ||
      top === undefined ||
      (step !== undefined && activeStep.step !== step)
      ? []
      : [top];
  });
  const before = tops.find(
    (top) => top.agent === (agent ?? null) && isDuplicateRequest(top, action),
  );
  return before === undefined
    ? undefined
    : deny(
        duplicateRequestText(before, action),
        "Wait until the step has ended. A request to stop, or for a person, is accepted at any time",
        { code: "behavior_second" },
      );
}
