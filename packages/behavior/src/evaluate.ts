import { BylawError, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { parseControlFile } from "./control-file.ts";
import type { BehaviorAction } from "./action.ts";
import type { Compat } from "./compat.ts";
import { evaluateLoop } from "./evaluate-loop.ts";
import { evaluateTrigger } from "./evaluate-trigger.ts";

/** The behaviors that can evaluate a request. */
export type EvaluatorName = "loop" | "trigger" | "checkpoint" | "vibecheck";
export const EVALUATORS: readonly EvaluatorName[] = ["loop", "trigger", "checkpoint", "vibecheck"];

/** One control file, and the behavior that evaluates it. */
export interface Evaluation {
  readonly evaluator: EvaluatorName;
  /** The control file: its text, its object, or null if there is none. */
  readonly file: Json;
  /** The configuration of the step. Null means none. */
  readonly config?: Json;
  /** How many times the loop has already gone back. */
  readonly iteration?: number;
  readonly compat?: Compat;
}

/**
 * Evaluates a control file by one behavior. Null if the request does not concern this behavior. Pure. Throws BYLAW_BEHAVIOR_INVALID
 * for a broken file, BYLAW_BEHAVIOR_CONFIG_INVALID, and BYLAW_BEHAVIOR_TARGET_MISSING for a trigger without an agent.
 */
export function evaluateBehavior({
  evaluator,
  file,
  config = null,
  iteration = 0,
  compat,
}: Evaluation): JsonObject | null {
  // A step without a loop or a trigger never reads the file, so a broken file is no error for it.
  if ((evaluator === "loop" || evaluator === "trigger") && config === null) return null;
  if (config !== null && !isJsonObject(config))
    throw new BylawError({
      code: "BYLAW_BEHAVIOR_CONFIG_INVALID",
      message: "The configuration must be an object or null",
    });
  if (!Number.isSafeInteger(iteration) || iteration < 0)
    throw new BylawError({
      code: "BYLAW_BEHAVIOR_CONFIG_INVALID",
      message: "The iteration must be a whole number from 0",
    });
  const action = actionIn(file, compat);
  if (action === null) return null;
  switch (evaluator) {
    case "loop":
      return evaluateLoop(action, config ?? {}, iteration, compat);
    case "trigger":
      return evaluateTrigger(action, config ?? {}, compat);
    case "checkpoint":
      return action.action === "checkpoint"
        ? { shouldStopWorkflow: true, reason: action.reason }
        : null;
    case "vibecheck":
      return action.action === "vibecheck"
        ? {
            shouldTrigger: true,
            riskScore: 0.5,
            advice: "Oversight requested",
            traits: [],
            uncertainties: [],
            reason: action.reason,
          }
        : null;
  }
}

function actionIn(file: Json, compat: Compat | undefined): BehaviorAction | null {
  if (file === null) return null;
  if (compat === "codemachine") return unvalidated(file);
  return parseControlFile(typeof file === "string" ? file : JSON.stringify(file));
}

// Codemachine did not validate the action. An unknown action had no effect, but a loop at its limit still ended. It reported a
// broken file on its console and went on as if there were none.
function unvalidated(file: Json): BehaviorAction | null {
  let value: Json = file;
  try {
    if (typeof file === "string") value = JSON.parse(file) as Json;
  } catch {
    return null;
  }
  if (value === null) return null;
  const { action = null, reason = null, triggerAgentId = null } = isJsonObject(value) ? value : {};
  const text = (one: Json): string | null => (typeof one === "string" ? one : null);
  return {
    action: action as BehaviorAction["action"],
    reason: text(reason),
    triggerAgentId: text(triggerAgentId),
    step: null,
    run: null,
    ignored: [],
  };
}
