import { BylawError, type Json, type JsonObject } from "@bylaw/kernel";
import type { BehaviorAction } from "./action.ts";
import type { Compat } from "./compat.ts";

interface LoopConfig {
  readonly steps: number;
  /** Undefined means no limit. */
  readonly max: number | undefined;
  readonly skip: readonly string[];
}

/** Whether a step sends its workflow back: `{shouldRepeat, stepsBack, skip, reason}`, or null. Pure. Throws BYLAW_BEHAVIOR_CONFIG_INVALID. */
export function evaluateLoop(
  { action, reason }: BehaviorAction,
  config: JsonObject,
  iteration: number,
  compat: Compat | undefined,
): JsonObject | null {
  const { steps, max, skip } = compat === "codemachine" ? lenient(config) : strict(config, compat);
  const answer = (shouldRepeat: boolean, because: string | null): JsonObject => ({
    shouldRepeat,
    stepsBack: steps,
    skip,
    reason: because,
  });
  const limit =
    max !== undefined && iteration + 1 > max
      ? answer(false, `loop limit reached (${max})`)
      : undefined;
  // The older systems check the limit before the action, so at the limit it hides a stop and also answers a `continue`.
  if (compat !== undefined && limit !== undefined) return limit;
  if (action === "loop") return limit ?? answer(true, reason);
  return action === "stop" ? answer(false, reason) : null;
}

function strict(
  { steps, maxIterations = null, skip = [] }: JsonObject,
  compat: Compat | undefined,
): LoopConfig {
  const least = compat === "radium" ? 0 : 1;
  if (!isCount(steps, least)) throw invalid("steps", `a whole number from ${least}`);
  if (maxIterations !== null && !isCount(maxIterations, least))
    throw invalid("maxIterations", `a whole number from ${least}`);
  if (!Array.isArray(skip) || !skip.every((id) => typeof id === "string"))
    throw invalid("skip", "a list of steps");
  return { steps, max: maxIterations ?? undefined, skip: skip as readonly string[] };
}

function lenient({ steps, maxIterations, skip }: JsonObject): LoopConfig {
  const back = typeof steps === "number" ? Math.max(1, Math.floor(steps)) : 1;
  const max =
    typeof maxIterations === "number" && maxIterations > 0 ? Math.floor(maxIterations) : undefined;
  return {
    steps: back,
    max,
    skip: Array.isArray(skip) ? skip.filter((id): id is string => typeof id === "string") : [],
  };
}

const isCount = (value: Json | undefined, least: number): value is number =>
  typeof value === "number" &&
  Number.isSafeInteger(value) &&
  value >= least &&
  value <= 4_294_967_295;

const invalid = (key: string, wanted: string): BylawError =>
  new BylawError({
    code: "BYLAW_BEHAVIOR_CONFIG_INVALID",
    message: `\`${key}\` of a loop must be ${wanted}`,
  });
