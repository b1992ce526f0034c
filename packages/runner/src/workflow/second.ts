import { deny, type Behavior, type Verdict, type View } from "@bylaw/kernel";
import type { Frame } from "./standing.ts";
import { workflowState } from "./state.ts";

/** Why a request was refused that came behind one that was granted. */
export const SECOND = { behavior_second: "a request of this step was granted before, and is carried out first" } as const;

/** Whether a request comes behind one that was granted. Only to stop or to pause is heard then: a person is asked rather than not. */
export const isSecond = ({ asked }: Frame, action: string): boolean => asked === "granted" && action !== "stop" && action !== "checkpoint";

/** Whether a second request wants somebody to look again, which the granted one does not: to leave it would be to silence whoever asks. */
export const wantsLook = ({ request, directive }: Frame, action: string): boolean =>
  (action === "loop" || action === "vibecheck") && ![request?.action, directive?.["action"]].includes(action);

/** What is said of a second request. */
export const secondText = ({ request }: Frame, action: string): string =>
  `Unexpected request for \`${action}\` after one for \`${String(request?.action)}\` that was granted, expected one of a step`;

/** Refuses what would be granted and never carried out, by whatever way it comes. Pure. */
export function refuseSecond({ action, agent, step }: Behavior, view: View): Verdict | undefined {
  const tops = view(workflowState).units.flatMap((unit) => {
    const top = unit.frames.at(-1);
    return unit.settled || top === undefined || (step !== undefined && unit.step !== step) ? [] : [top];
  });
  const before = tops.find((top) => top.agent === (agent ?? null) && isSecond(top, action));
  return before === undefined
    ? undefined
    : deny(secondText(before, action), "wait until the step has ended; to stop, or to let a person look, is heard at any time", {
        code: "behavior_second",
      });
}
