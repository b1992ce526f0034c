import {
  BylawError,
  isJsonObject,
  messageOf,
  omitUndefined,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { parseJson } from "@bylaw/config";
import { noOpenQuestion, unauthorized, type Question } from "@bylaw/orchestrator/approvals";
import { usageError } from "../io/report-error.ts";

/** The recorded event in the server's answer. */
export type RemoteEvent = Pick<LogEvent, "event_type" | "sequence" | "details">;

const eventOf = (answer: JsonObject): RemoteEvent => answer as unknown as RemoteEvent;

/** Reads and answers the questions of a server, as an operator. */
export class RemoteApprovals {
  readonly #base: string;
  readonly #token: string;

  /** Throws BYLAW_USAGE_INVALID for an address to which no token may be sent, and BYLAW_APPROVAL_UNAUTHORIZED without a token. */
  constructor(url: string, token: string | undefined) {
    this.#base = `${serverAddress(url)}/api/v1`;
    if (token === undefined || token === "")
      throw unauthorized(
        "Answering a server needs an operator's token in BYLAW_OPERATOR_TOKEN",
        "Set it for this one command; keep it away from agents",
      );
    this.#token = token;
  }

  /** The open questions on the server. */
  async list(): Promise<readonly Question[]> {
    const found: Question[] = [];
    let after: string | undefined;
    do {
      const query = new URLSearchParams(omitUndefined({ limit: "100", after }));
      const page = await this.#ask("GET", `/approvals?${query}`);
      found.push(...(page["approvals"] as unknown as readonly Question[]));
      after = page["next"] as string | undefined;
    } while (after !== undefined);
    return found;
  }

  /** One open question. Throws BYLAW_APPROVAL_MISSING, and BYLAW_APPROVAL_UNAUTHORIZED for a token of no operator. */
  async read(id: string): Promise<Question> {
    const found = await this.#ask("GET", `/approvals/${encodeURIComponent(id)}`);
    if (found["state"] !== "open") throw noOpenQuestion(id, String(found["state"]));
    return found as unknown as Question;
  }

  /** Answers a question. Returns the event that the server recorded. */
  async answer(id: string, answer: JsonObject): Promise<RemoteEvent> {
    return eventOf(await this.#ask("POST", `/approvals/${encodeURIComponent(id)}`, answer));
  }

  async waive(waiver: JsonObject): Promise<RemoteEvent> {
    return eventOf(await this.#ask("POST", "/waivers", waiver));
  }

  async clearMark(mark: string): Promise<RemoteEvent> {
    return eventOf(await this.#ask("POST", "/marks/clear", { mark }));
  }

  async #ask(method: "GET" | "POST", path: string, body?: JsonObject): Promise<JsonObject> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body === undefined
        ? {}
        : {
            "content-type": "application/json",
            "idempotency-key": globalThis.crypto.randomUUID(),
          }),
    };
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    let answered: { readonly status: number; readonly text: string };
    try {
      const signal = AbortSignal.timeout(30_000);
      // A redirect could send the token to another server.
      const init = { method, headers, ...json, signal, redirect: "error" } as const;
      const response = await fetch(`${this.#base}${path}`, init);
      answered = { status: response.status, text: await response.text() };
    } catch (cause) {
      throw unreachable(`The server did not answer: ${messageOf(cause)}`, cause);
    }
    const value = jsonObjectIn(answered.text);
    if (value === undefined)
      throw unreachable(`The server answered ${answered.status} with no JSON object`);
    if (answered.status < 400) return value;
    const { code, detail, fix } = value;
    if (answered.status === 401 || code === "BYLAW_CREDENTIAL_UNFIT")
      throw unauthorized(
        "The token in BYLAW_OPERATOR_TOKEN belongs to no operator of this server",
        "Set it to the token of an operator whom the server's operators file lists",
      );
    throw new BylawError({
      code:
        typeof code === "string" && /^BYLAW_[A-Z_]+$/.test(code)
          ? (code as `BYLAW_${string}`)
          : "BYLAW_SERVER_UNREACHABLE",
      message: typeof detail === "string" ? detail : `The server answered ${answered.status}`,
      ...(typeof fix === "string" ? { fix } : {}),
    });
  }
}

/** Parses a text as a JSON object. Returns undefined for any other text. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The origin of a server's address. Throws BYLAW_USAGE_INVALID for an address to which no token may be sent. */
export function serverAddress(text: string): string {
  if (URL.canParse(text)) {
    const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(
      text,
    );
    const plain = pathname === "/" && search + hash + username + password === "";
    const safe = protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));
    if (plain && safe) return origin;
  }
  throw usageError(
    // The address may contain a password, so the message does not repeat it.
    "`--url` takes the address of a server, like https://bylaw.example.org",
    "Use https, or http on this machine, without a path, user name or password",
  );
}

/** The error for a server that gives no answer or no usable one. */
export const unreachable = (message: string, cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_SERVER_UNREACHABLE",
    message,
    fix: "Check the address and that `bylaw serve` runs there",
    cause,
  });
