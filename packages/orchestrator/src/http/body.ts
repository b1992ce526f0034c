import { setImmediate as nextTurn } from "node:timers/promises";
import { isBylawError, parseJson } from "@bylaw/config";
import type { Json } from "@bylaw/kernel";
import type { AppContext } from "./app-env.ts";
import type { Reservation } from "./in-flight.ts";
import { Problem, badRequest, problem } from "./problem.ts";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Bytes. A larger body is parsed in its own tick of the event loop. */
const LARGE = 65_536;

/** The limits of a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** How many values its JSON may have. */
  readonly values: number;
  /** The fix for a body that is too large. */
  readonly fix?: string | undefined;
}

/** The limits of a body without a credential in the header, which must contain a token and its request. */
export const TOKEN_BODY: BodyLimits = {
  bytes: 16_384,
  values: 1_000,
  fix: "Send the token in the Authorization header.",
};

/**
 * Reads the JSON of a request, frozen. Reserves the announced length before reading, or what arrives if none is announced. Throws a problem
 * for another content type, a body that is too large or not UTF-8, and JSON that two parsers could read differently.
 */
export async function readBody(
  context: AppContext,
  limits: BodyLimits,
  reservation: Reservation,
): Promise<Json> {
  const { req } = context;
  if (!JSON_TYPE.test(req.header("content-type") ?? ""))
    throw unsupported("The body must be application/json", "Send JSON with that content type.");
  if (req.header("content-encoding") !== undefined)
    throw unsupported("A compressed body is not accepted", "Send the body uncompressed.");
  const announced = Number(req.header("content-length") ?? 0);
  if (announced > limits.bytes) throw tooLarge(limits);
  reservation.add(announced);
  const bytes = await readBytes(context, limits, (total, added) =>
    reservation.add(Math.min(added, Math.max(0, total - announced))),
  );
  if (bytes.length > LARGE) await ownTurn();
  return parsed(bytes, limits);
}

/** Reads all bytes of a body. Calls `arrived` for each part. Rejects with a problem at the limit or if the client disconnects. */
async function readBytes(
  { env, req }: AppContext,
  limits: BodyLimits,
  arrived: (total: number, added: number) => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  // A body that is too large still gets an answer, so the socket stays open.
  const source = env?.incoming?.iterator({ destroyOnReturn: false }) ?? req.raw.body ?? [];
  try {
    for await (const part of source as AsyncIterable<Uint8Array>) {
      total += part.length;
      if (total > limits.bytes) throw tooLarge(limits);
      arrived(total, part.length);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw badRequest("The connection closed before the whole body arrived");
  }
  return Buffer.concat(parts);
}

const tooLarge = ({ bytes, fix = "Send less at once." }: BodyLimits): Problem =>
  problem({
    status: 413,
    code: "BYLAW_REQUEST_TOO_LARGE",
    detail: `The body is larger than ${bytes} bytes`,
    fix,
    headers: { connection: "close" },
  });

const unsupported = (detail: string, fix: string): Problem =>
  problem({ status: 415, code: "BYLAW_REQUEST_UNSUPPORTED", detail, fix });

let last: Promise<void> = Promise.resolve();

// Large bodies that arrive together are parsed one per tick, so that other requests are answered in between.
function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parsed(bytes: Uint8Array, { values, fix }: BodyLimits): Json {
  const text = textOf(bytes);
  try {
    return parseJson(text, { values });
  } catch (error) {
    if (isBylawError(error)) throw notJson(error.message, error.fix ?? fix);
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notJson("The body is not valid UTF-8", "Send JSON in UTF-8.");
  }
}

const notJson = (detail: string, fix: string | undefined): Problem =>
  problem({ status: 400, code: "BYLAW_JSON_INVALID", detail, fix });
