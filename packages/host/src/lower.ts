import type { Decision } from "@bylaw/kernel";
import type { HostCapabilities } from "./capabilities.ts";

/** The answer to a host. `none` is no opinion: the host acts as it would without Bylaw. */
export type Reply =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason: string }
  | { readonly kind: "ask"; readonly reason: string }
  | { readonly kind: "deny"; readonly reason: string };

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
  { allow }: Pick<HostCapabilities, "allow">,
  { strict }: LowerOptions,
): Reply {
  const { effect, applied, code } = decision;
  const reason = reasonOf(decision);
  if (applied === "deny") return { kind: "deny", reason };
  if (applied === "ask_user")
    return code === "fallback" && !strict ? { kind: "none" } : { kind: "ask", reason };
  const ruled = effect === "allow" && code !== "fallback" && code !== "mode_allowed";
  return ruled && allow ? { kind: "allow", reason } : { kind: "none" };
}

/** The text for the agent: the reason, what to do instead, and the rule. Never empty. */
export function reasonOf({ reason, message, fix, rule, code }: Decision): string {
  const sentence = ended(message ?? reason) || `Denied (${code}).`;
  return [sentence, fix && ended(fix), rule && `(rule \`${rule.name}\`)`].filter(Boolean).join(" ");
}

const ended = (text: string): string => {
  const trimmed = text.trim();
  return trimmed === "" || /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
};
