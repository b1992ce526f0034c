import { isBylawError, parseJson } from "@bylaw/config";
import type { Json } from "@bylaw/kernel";
import { problem, type Problem } from "./problem.ts";
import { tooLarge } from "./received.ts";
import type { Requested } from "./requested.ts";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * The JSON of a request, frozen. Throws a problem for another content type, a body that is too large, is no UTF-8, or that two
 * parsers could read differently.
 */
export async function readBody(request: Requested, limit: number): Promise<Json> {
  if (!JSON_TYPE.test(request.header("content-type") ?? ""))
    throw refused(415, "BYLAW_REQUEST_UNSUPPORTED", "Unexpected content type, expected application/json", "send JSON, and say so");
  if (request.header("content-encoding") !== undefined)
    throw refused(415, "BYLAW_REQUEST_UNSUPPORTED", "Unexpected content encoding, expected none", "send the body as it is");
  // Node has read the header already and holds the body to it.
  if (Number(request.header("content-length") ?? 0) > limit) throw tooLarge(limit);
  const bytes = await request.bytes(limit);
  if (bytes.length > limit) throw tooLarge(limit);
  return parsed(bytes);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parsed(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw refused(400, "BYLAW_JSON_INVALID", "Unexpected bytes that are no UTF-8, expected JSON", "send JSON in UTF-8");
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (isBylawError(error)) throw refused(400, "BYLAW_JSON_INVALID", error.message, error.fix);
    throw error;
  }
}

const refused = (status: number, code: string, detail: string, fix?: string): Problem => problem({ status, code, detail, fix });
