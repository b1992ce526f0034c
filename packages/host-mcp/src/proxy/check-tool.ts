import { createHash } from "node:crypto";
import { canonicalJson, freezeJson, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { visibleText } from "@bylaw/wording";

/** The most characters that the definition of a tool, or the instructions of a server, may have. */
const DEFINITION_LIMIT = 32_768;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
// Emoji may hold these invisible characters as joiners; nothing else may.
const EMOJI =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9]\u{fe0f}?\u{20e3}?(?:\u{200d}(?=\p{Extended_Pictographic}))?/gu;

/** Why a tool is withheld whatever the policy says; `undefined` if nothing speaks against it. */
export function toolFault(
  tool: JsonObject,
  names: ReadonlyMap<string, number>,
): string | undefined {
  const { name } = tool as Partial<JsonObject>;
  if (typeof name !== "string" || !NAME.test(name))
    return "its name has other characters than letters, digits, `_`, `.` and `-`, or more than 128";
  // A name like this would make the record of accepted tools unreadable.
  if (name === "__proto__") return "its name is reserved in JavaScript";
  // A policy would read it as the tool of another server.
  if (/^mcp_/i.test(name)) return "its name begins like that of a tool of another server";
  if ((names.get(name.toLowerCase()) ?? 0) > 1) return "the server lists its name more than once";
  return textFault(tool);
}

/** Why text of a server must not be shown to a model; `undefined` if it may. */
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

/** The digest of all that a client sees of a tool; `_meta` is for programs. Throws BYLAW_JSON_INVALID. */
export function digestOfTool({ _meta, ...shown }: { readonly [key: string]: Json }): string {
  const text = canonicalJson(freezeJson(shown));
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
