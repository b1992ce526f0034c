import type { IncomingMessage } from "node:http";
import { isBylawError, parseJson } from "@bylaw/config";
import type { Json } from "@bylaw/kernel";
import { problem, type Problem } from "./problem.ts";
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
  const { incoming } = request;
  const bytes = incoming === undefined ? await request.bytes() : await received(incoming, limit);
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

// Straight from the socket: nothing beyond the limit is kept, and nothing is copied for a request of one part.
function received(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    // Listeners stay: the request is over soon, and to take them off would cost as much as to read it.
    let over = false;
    const done = (settle: () => void): void => {
      if (!over) settle();
      over = true;
    };
    const onData = (part: Uint8Array): void => {
      length += part.length;
      if (length <= limit) {
        parts.push(part);
        return;
      }
      incoming.off("data", onData);
      done(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void => {
      const [only] = parts;
      done(() => resolve(only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)));
    };
    const onLost = (): void =>
      done(() => reject(refused(400, "BYLAW_REQUEST_INVALID", "Unexpected end of the request, expected the rest of its body")));
    if (incoming.readableEnded || incoming.destroyed) return onLost();
    incoming.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
  });
}

const tooLarge = (limit: number): Problem =>
  problem({
    ...{ status: 413, code: "BYLAW_REQUEST_TOO_LARGE", detail: `Unexpected body of more than ${limit} bytes, expected less` },
    ...{ fix: "send less at once", headers: { connection: "close" } },
  });

const refused = (status: number, code: string, detail: string, fix?: string): Problem => problem({ status, code, detail, fix });
