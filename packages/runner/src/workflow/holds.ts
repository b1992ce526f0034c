import type { Step } from "../template/template.ts";
import type { NextAction } from "./next-action.ts";
import type { ActiveStep } from "./state/types.ts";

/** The hold of an interrupted step that only a person may run again. */
export const interruptedHold = (
  { id, interrupted: then }: Step,
  { released }: ActiveStep,
): NextAction | undefined =>
  then === "ask" && !released.includes("interrupted")
    ? {
        do: "hold",
        step: id,
        why: "interrupted",
        message: `Step \`${id}\` was interrupted, and it is unknown how far it got`,
      }
    : undefined;

/** What a person reads when an oversight found too much risk. */
export const riskText = (risk: number, limit: number, advice: string | null): string => {
  const said = advice === null ? "" : `. The advice: ${advice}`;
  return `The oversight found a risk of ${risk}; from ${limit} on, a person must look${said}`.slice(
    0,
    1_000,
  );
};
