import type { Decision } from "@bylaw/kernel";
import type { HostCapabilities } from "./capabilities.ts";

/** The answer to a host. `none` is no opinion: the host behaves as it would without Bylaw. */
export type Reply =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason: string }
  | { readonly kind: "ask"; readonly reason: string }
  | { readonly kind: "deny"; readonly reason: string };

/** How much is left to the host. */
export interface LowerOptions {
  /** Ask about a call that no rule covers. Default: leave it to the host's own permissions. */
  readonly strict: boolean;
}

/**
 * What a decision about a tool call comes to on a host. An `ask` stays one; whether the host can ask is the caller's to know. A deny by
 * default is somebody's choice and stays a deny.
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

/** Why, what to do instead, and by which rule: what the agent reads. Never empty. */
export function reasonOf({ reason, message, fix, rule, code }: Decision): string {
  const sentence = ended(message ?? reason) || `Denied (${code}).`;
  return [sentence, fix && ended(fix), rule && `(rule \`${rule.name}\`)`].filter(Boolean).join(" ");
}

const ended = (text: string): string => {
  const trimmed = text.trim();
  return trimmed === "" || /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
};
