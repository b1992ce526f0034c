import { parseJson } from "@bylaw/config";
import { isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";

/** The id that matches an answer to its request. */
export type MessageId = string | number;

/** A JSON-RPC message. `text` is the text to pass on. */
export type Message =
  | {
      readonly kind: "request";
      readonly id: MessageId;
      readonly method: string;
      readonly params: Json | undefined;
      readonly text: string;
    }
  | {
      readonly kind: "notification";
      readonly method: string;
      readonly params: Json | undefined;
      readonly text: string;
    }
  | {
      readonly kind: "response";
      readonly id: MessageId;
      readonly result: Json | undefined;
      readonly error: Json | undefined;
      readonly text: string;
    };

/** The JSON-RPC error codes that the proxy itself uses. */
export const RPC = { parse: -32_700, invalid: -32_600, params: -32_602, refused: -32_000 } as const;

/** The error for text that is not a message, or that two parsers may read differently. */
export class MessageFault extends Error {
  override readonly name = "MessageFault";

  readonly code: number;
  /** The id of the message, if it has one. */
  readonly id: MessageId | null;

  constructor(code: number, message: string, id: MessageId | null = null) {
    super(message);
    this.code = code;
    this.id = id;
  }
}

/** Reads a message of a client. Also throws {@link MessageFault} for text that another parser may read differently. */
export function readClientMessage(text: string): Message {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new MessageFault(RPC.parse, messageOf(error));
  }
  const message = messageIn(value, text);
  const key = nearKey(value, ENVELOPE) ?? twinKey(value);
  if (key !== undefined)
    throw new MessageFault(
      RPC.invalid,
      `The key \`${key}\` differs from another key only in letter case`,
      message.kind === "notification" ? null : message.id,
    );
  return message;
}

/** Reads a message of a server. Throws {@link MessageFault}. */
export function readServerMessage(text: string): Message {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new MessageFault(RPC.parse, "It is not JSON");
  }
  return messageIn(value, text);
}

const ENVELOPE = ["jsonrpc", "id", "method", "params", "result", "error"];

function messageIn(value: Json, given: string): Message {
  if (!isJsonObject(value))
    throw new MessageFault(
      RPC.invalid,
      Array.isArray(value) ? "A batch is not accepted; send one message at a time" : "No object",
    );
  const { jsonrpc, id, method, params, result, error } = value as Partial<JsonObject>;
  const known = isId(id) ? id : null;
  if (jsonrpc !== "2.0") throw new MessageFault(RPC.invalid, "`jsonrpc` must be `2.0`", known);
  const answers = Number(result !== undefined) + Number(error !== undefined);
  // Some readers end a line at a carriage return, and would take the rest for another message.
  const text = /[\r\n]/.test(given) ? JSON.stringify(value) : given;
  if (method === undefined) {
    if (known === null || answers !== 1)
      throw new MessageFault(RPC.invalid, "The message is neither a request nor an answer", known);
    return { kind: "response", id: known, result, error, text };
  }
  if (typeof method !== "string" || answers !== 0)
    throw new MessageFault(RPC.invalid, "A request needs a `method` and has no answer", known);
  if (id === undefined) return { kind: "notification", method, params, text };
  if (known === null)
    throw new MessageFault(RPC.invalid, "`id` must be a string or a whole number");
  return { kind: "request", id: known, method, params, text };
}

const isId = (value: unknown): value is MessageId =>
  typeof value === "string" ? value.length <= 256 : Number.isSafeInteger(value);

/** A key that a case-insensitive parser would take for one of the known keys. */
export function nearKey(value: Json, known: readonly string[]): string | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.keys(value).find(
    (key) => !known.includes(key) && known.some((one) => foldKey(one) === foldKey(key)),
  );
}

// The second of two keys of an object, at any depth, that such a parser would take for the same.
function twinKey(value: Json): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const folded = new Set<string>();
  for (const [key, item] of Object.entries(value) as readonly (readonly [string, Json])[]) {
    const fold = Array.isArray(value) ? key : foldKey(key);
    if (folded.has(fold)) return key;
    folded.add(fold);
    const found = typeof item === "object" ? twinKey(item) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const PLAIN_KEY = /^[a-z0-9_]*$/;
// Twice, so that letters such as `ſ` and the Kelvin sign become plain letters.
const foldKey = (key: string): string =>
  PLAIN_KEY.test(key) ? key : key.toLowerCase().toUpperCase().toLowerCase();
