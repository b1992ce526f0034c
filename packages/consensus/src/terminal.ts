import { isJsonObject, type Json } from "@bylaw/kernel";

/** What ends the turn of an agent, as `response_accepted` has it under `terminal`. */
export type Terminal =
  | { readonly kind: "answer"; readonly content: string }
  | { readonly kind: "vote"; readonly target: string; readonly reason: string | null }
  | { readonly kind: "end"; readonly tool: string };

const text = (value: Json | undefined): value is string => typeof value === "string";

/** Reads what the log holds. What a redactor took out is the empty text; what is no terminal is nothing. */
export function terminalOf(value: Json | undefined): Terminal | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, content, target, reason, tool } = value;
  if (kind === "answer") return { kind, content: text(content) ? content : "" };
  if (kind === "vote")
    return { kind, target: text(target) ? target : "", reason: text(reason) ? reason : null };
  return kind === "end" ? { kind, tool: text(tool) ? tool : "" } : undefined;
}
