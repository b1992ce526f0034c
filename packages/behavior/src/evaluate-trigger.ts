import { BylawError, type JsonObject } from "@bylaw/kernel";
import type { BehaviorAction } from "./action.ts";
import type { Compat } from "./compat.ts";

/**
 * The agent that a step calls: `{shouldTrigger, agentId, reason}`, or null. Pure. Throws BYLAW_BEHAVIOR_CONFIG_INVALID and
 * BYLAW_BEHAVIOR_TARGET_MISSING.
 */
export function evaluateTrigger(
  { action, triggerAgentId, reason }: BehaviorAction,
  { triggerAgentId: other = null }: JsonObject,
  compat: Compat | undefined,
): JsonObject | null {
  if (action !== "trigger") return null;
  if (other !== null && typeof other !== "string")
    throw new BylawError({
      code: "BYLAW_BEHAVIOR_CONFIG_INVALID",
      message: "`triggerAgentId` of a trigger must be text or null",
    });
  // Only `radium` takes an empty name as a name. By default, an empty name counts as none.
  const agentId =
    compat === "radium" ? (triggerAgentId ?? other) : (named(triggerAgentId) ?? named(other));
  if (agentId !== null) return { shouldTrigger: true, agentId, reason };
  if (compat === "codemachine") return null;
  throw new BylawError({
    code: "BYLAW_BEHAVIOR_TARGET_MISSING",
    message: "The trigger names no agent",
    fix: 'Name the agent: {"action": "trigger", "triggerAgentId": "reviewer"}',
  });
}

const named = (id: string | null): string | null => (id === "" ? null : id);
