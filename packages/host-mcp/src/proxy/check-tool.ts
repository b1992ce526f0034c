import { createHash } from "node:crypto";
import { canonicalJson, freezeJson, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { visibleText } from "@bylaw/wording";

/** The longest definition of a tool, and the longest instructions of a server, in characters. */
const DEFINITION_LIMIT = 32_768;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
// Matches emoji, which may contain these invisible characters as joiners. Nothing else may.
const EMOJI =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9]\u{fe0f}?\u{20e3}?(?:\u{200d}(?=\p{Extended_Pictographic}))?/gu;

/** The reason to withhold a tool, whatever the policy says. Undefined if there is none. */
export function toolFault(
  tool: JsonObject,
  names: ReadonlyMap<string, number>,
): string | undefined {
  const { name } = tool as Partial<JsonObject>;
  if (typeof name !== "string" || !NAME.test(name))
    return "its name has characters other than letters, digits, `_`, `.` and `-`, or is longer than 128";
  // This name would make the file of accepted tools unreadable.
  if (name === "__proto__") return "its name is reserved in JavaScript";
  // A policy would take it for the tool of another server.
  if (/^mcp_/i.test(name)) return "its name begins like that of a tool of another server";
  if ((names.get(name.toLowerCase()) ?? 0) > 1) return "the server lists its name more than once";
  return textFault(tool);
}

/** The reason why a model must not see a server's text. Undefined if it may. */
export function textFault(value: Json): string | undefined {
  if (JSON.stringify(value).length > DEFINITION_LIMIT)
    return `its definition has more than ${DEFINITION_LIMIT} characters`;
  return hidesText(value) ? "its definition has invisible characters" : undefined;
}

function hidesText(value: Json): boolean {
  if (typeof value === "string") {
    const shown = value.replace(EMOJI, "x").trim();
    return visibleText(shown) !== shown;
  }
  if (Array.isArray(value)) return (value as readonly Json[]).some(hidesText);
  return isJsonObject(value) && Object.entries(value).some((entry) => entry.some(hidesText));
}

/** The digest of everything that a client sees of a tool. `_meta` is for programs, so it is left out. Throws BYLAW_JSON_INVALID. */
export function digestOfTool({ _meta, ...shown }: { readonly [key: string]: Json }): string {
  const text = canonicalJson(freezeJson(shown));
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
