import type { Decision, JsonObject } from "@bylaw/kernel";
import { isAllowedByRule } from "@bylaw/log/allowed-by-rule";
import type { HostCapabilities } from "./capabilities.ts";

/** The answer to a host. `none` is no opinion: the host acts as it would without Bylaw. */
export type Reply =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason: string }
  /** Run the call with these arguments, all of them. `reason` says why. Only for hosts that can: {@link HostCapabilities.rewrites}. */
  | { readonly kind: "rewrite"; readonly reason: string; readonly args: JsonObject }
  | { readonly kind: "ask"; readonly reason: string }
  | Denial;

/** `halt`: the agent's turn ends too. Only for hosts that can: {@link HostCapabilities.halts}. */
export interface Denial {
  readonly kind: "deny";
  readonly reason: string;
  readonly halt?: true;
}

/** The options of {@link lowerDecision}. */
export interface LowerOptions {
  /** Whether to ask about a call that no rule covers. Default: leave it to the host's own permissions. */
  readonly strict: boolean;
}

/**
 * Turns a decision about a tool call into an answer to a host. It does not check whether the host can ask. A deny by default was
 * chosen by an operator, so it stays a deny.
 */
export function lowerDecision(
  decision: Decision,
  capabilities: Pick<HostCapabilities, "allow" | "halts">,
  { strict }: LowerOptions,
): Reply {
  const { applied, code } = decision;
  const reason = reasonOf(decision);
  if (applied === "deny") return lowerDenial(decision, capabilities);
  if (applied === "ask_user")
    return code === "fallback" && !strict ? { kind: "none" } : { kind: "ask", reason };
  return isAllowedByRule(decision) && capabilities.allow
    ? { kind: "allow", reason }
    : { kind: "none" };
}

/** The deny of a decision. It also halts the agent if its run is over, because every further call would be denied too. */
export function lowerDenial(
  decision: Decision,
  { halts }: Pick<HostCapabilities, "halts">,
): Denial {
  const reason = reasonOf(decision);
  return halts && decision.code === "run_ended"
    ? { kind: "deny", reason, halt: true }
    : { kind: "deny", reason };
}

/** The text for the agent: the reason, what to do instead, and the rule. Never empty. */
export function reasonOf({ reason, message, fix = "", rule, code, instead }: Decision): string {
  const sentence = ended(message ?? reason) || `Denied (${code}).`;
  const parts = [sentence, ended(fix), offerText(instead, fix), rule && `(rule \`${rule.name}\`)`];
  return parts.filter(Boolean).join(" ");
}

/** The longest offer to tell the agent, in UTF-16 units. */
const MAX_LENGTH = 2_000;

function offerText(instead: JsonObject | undefined, fix: string): string {
  if (instead === undefined) return "";
  const [only, ...more] = Object.values(instead);
  const text = typeof only === "string" && more.length === 0 ? only : JSON.stringify(instead);
  return text.length > MAX_LENGTH || fix.includes(text) ? "" : `Use \`${text}\` instead.`;
}

const ended = (text: string): string => {
  const trimmed = text.trim();
  return trimmed === "" || /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
};
