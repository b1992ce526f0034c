import { isJsonObject, type Json } from "@bylaw/kernel";

/** How an agent ended its turn, recorded in `response_accepted` under `terminal`. */
export type TurnEnd =
  | { readonly kind: "answer"; readonly content: string }
  | { readonly kind: "vote"; readonly target: string; readonly reason: string | null }
  | { readonly kind: "end"; readonly tool: string };

const text = (value: Json | undefined): value is string => typeof value === "string";

/** Reads a recorded terminal. Text that a redactor removed becomes empty. Undefined if the value is not a terminal. */
export function terminalOf(value: Json | undefined): TurnEnd | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, content, target, reason, tool } = value;
  if (kind === "answer") return { kind, content: text(content) ? content : "" };
  if (kind === "vote")
    return { kind, target: text(target) ? target : "", reason: text(reason) ? reason : null };
  return kind === "end" ? { kind, tool: text(tool) ? tool : "" } : undefined;
}
