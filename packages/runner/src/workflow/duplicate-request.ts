import { deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import type { ActiveAgent } from "./state/types.ts";
import { workflowState } from "./state/projection.ts";

/** Why a request was refused that came behind one that was granted. */
export const DUPLICATE_REQUEST_CODES = {
  behavior_second: "An earlier request of this step was granted and is carried out first",
} as const;

/**
 * Whether a request comes behind one that was granted. Only to stop or to pause is heard then: a
 * person is asked rather than not.
 */
export const isDuplicateRequest = ({ asked }: ActiveAgent, action: string): boolean =>
  asked === "granted" && action !== "stop" && action !== "checkpoint";

/**
 * Whether a second request wants somebody to look again, which the granted one does not: to leave
 * it would be to silence whoever asks.
 */
export const wantsOversight = ({ request, directive }: ActiveAgent, action: string): boolean =>
  (action === "loop" || action === "vibecheck") &&
  ![request?.action, directive?.["action"]].includes(action);

/** What is said of a second request. */
export const duplicateRequestText = ({ request }: ActiveAgent, action: string): string =>
  `\`${action}\` cannot be granted: this step was already granted \`${String(request?.action)}\``;

/** Refuses what would be granted and never carried out, by whatever way it comes. Pure. */
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
