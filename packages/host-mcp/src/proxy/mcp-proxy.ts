import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { isJudged, isLookalike, type ProxyPlace } from "./call.ts";
import { Gate, type ProxyJudge } from "./gate.ts";
import {
  MessageFault,
  RPC,
  readClientMessage,
  readServerMessage,
  type Message,
  type MessageId,
} from "./message.ts";
import { OwnRequests } from "./own-requests.ts";
import type { Peer } from "./peer.ts";
import type { PendingRequest } from "./pending.ts";
import type { ToolPins } from "./tool-pins.ts";
import { ToolTable, type ToolChange } from "./tool-table.ts";

/** The options of a proxy. */
export interface ProxyOptions {
  readonly place: ProxyPlace;
  readonly judge: ProxyJudge;
  readonly pins: Pick<ToolPins, "read" | "pin">;
  /** Whether to withhold every tool that was not accepted. Default: false, which pins each tool when it is first seen. */
  readonly acceptedOnly?: boolean;
  /** The longest message, in characters. A longer answer of the server becomes an error. */
  readonly limit: number;
  /** Receives notes for the person who started the proxy: what was withheld or dropped. */
  readonly notice: (text: string) => void;
  /** Receives each tool that appeared or changed after the tools of the server were pinned, once. */
  readonly toolChanged?: (change: ToolChange) => void;
}

type Request = Message & { readonly kind: "request" };
type Response = Message & { readonly kind: "response" };
type Notification = Message & { readonly kind: "notification" };

const MAX_PENDING = 1_000;
const LIST_MS = 30_000;
const ASK_MS = 600_000;

/** Stands between an MCP client and a server. It judges the client's requests and passes everything else on unchanged. */
export class McpProxy {
  readonly #options: ProxyOptions;
  readonly #table: ToolTable;
  readonly #gate: Gate;
  readonly #pending = new Map<MessageId, PendingRequest>();
  readonly #serverRequests = new Set<MessageId>();
  readonly #toServer: OwnRequests;
  readonly #toClient: OwnRequests;
  #client: Peer | undefined;
  #server: Peer | undefined;
  #canElicit = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#toServer = new OwnRequests(() => connected(this.#server));
    this.#toClient = new OwnRequests(() => connected(this.#client));
    this.#table = new ToolTable({
      fetch: (cursor) =>
        this.#toServer.ask("tools/list", cursor === undefined ? {} : { cursor }, {
          timeout_ms: LIST_MS,
        }),
      pins: options.pins,
      acceptedOnly: options.acceptedOnly ?? false,
      notice: options.notice,
      changed: (change) => options.toolChanged?.(change),
    });
    this.#gate = new Gate({
      place: options.place,
      judge: options.judge,
      table: this.#table,
      forward: (request, text) => this.#forward(request, text),
      answer: (request, answer) => this.#answer(request, answer),
      elicit: (request, message) => this.#elicit(request, message),
      canElicit: () => this.#canElicit,
    });
  }

  /** Connects both sides. Call it before either one sends a message. */
  connect(client: Peer, server: Peer): void {
    this.#client = client;
    this.#server = server;
  }

  fromClient(text: string): void {
    let message: Message;
    try {
      message = readClientMessage(text);
    } catch (error) {
      if (!(error instanceof MessageFault)) throw error;
      const { id, code, message: reason } = error;
      return this.#tellClient({ id, error: { code, message: reason } });
    }
    switch (message.kind) {
      case "request":
        return this.#request(message);
      case "notification":
        return this.#notification(message);
      case "response":
        if (this.#toClient.settle(message)) return undefined;
        if (this.#serverRequests.delete(message.id))
          return connected(this.#server).send(message.text);
        return this.#notice(
          "An answer of the client was dropped, because it belongs to no request",
        );
    }
  }

  fromServer(text: string): void {
    let message: Message;
    try {
      message = readServerMessage(text);
    } catch (error) {
      if (!(error instanceof MessageFault)) throw error;
      return this.#notice(`A message of the server was dropped: ${error.message}`);
    }
    if (message.kind === "response") return this.#response(message);
    if (text.length > this.#options.limit)
      return this.#notice("A message of the server was dropped: it is too long");
    if (message.kind === "request") this.#serverRequests.add(message.id);
    else if (message.method === "notifications/tools/list_changed") this.#table.forget();
    return connected(this.#client).send(message.text);
  }

  /** Answers a client message that was too long to read. */
  tooLong(): void {
    const message = `The message has more than ${this.#options.limit} characters`;
    return this.#tellClient({ id: null, error: { code: RPC.invalid, message } });
  }

  /** Fails every request that waits for the server, because it has ended. */
  serverEnded(reason: string): void {
    const message = `The MCP server ${quote(this.#options.place.server)} ${reason}`;
    this.#toServer.end(message);
    const open = [...this.#pending.values()];
    for (const one of open) this.#answer(one, { error: { code: RPC.refused, message } });
  }

  #request({ id, method, params, text }: Request): void {
    if (this.#pending.has(id))
      return this.#tellClient({
        id,
        error: {
          code: RPC.invalid,
          message: "This `id` belongs to a request that is not answered yet",
        },
      });
    if (this.#pending.size >= MAX_PENDING) this.#forgetCancelled();
    if (this.#pending.size >= MAX_PENDING)
      return this.#tellClient({
        id,
        error: {
          code: RPC.refused,
          message: `More than ${MAX_PENDING} requests wait for an answer`,
        },
      });
    const request = { id, method, params, text, forwarded: false, cancelled: false };
    this.#pending.set(id, request);
    if (isJudged(method)) return this.#gate.judge(request);
    if (method === "tools/list") return void this.#list(request);
    if (isLookalike(method))
      return this.#answer(request, {
        error: { code: RPC.params, message: `Unknown method ${quote(method)}` },
      });
    if (method === "initialize") this.#canElicit = elicits(params);
    return this.#forward(request);
  }

  // A server need not answer a cancelled request, so the oldest one makes room.
  #forgetCancelled(): void {
    const oldest = [...this.#pending.values()].find(({ cancelled }) => cancelled);
    if (oldest !== undefined) this.#pending.delete(oldest.id);
  }

  #notification({ method, params, text }: Notification): void {
    // A notification has no answer, so its sender would not learn of a refusal.
    if (isJudged(method) || isLookalike(method) || method === "tools/list")
      return this.#notice(`A notification ${quote(method)} of the client was dropped`);
    if (method === "notifications/cancelled" && isJsonObject(params)) {
      const request = this.#pending.get(params["requestId"] as MessageId);
      if (request !== undefined) {
        request.cancelled = true;
        request.onCancel?.();
        if (!request.forwarded) {
          this.#pending.delete(request.id);
          return;
        }
      }
    }
    return connected(this.#server).send(text);
  }

  #response(message: Response): void {
    if (this.#toServer.settle(message)) return undefined;
    const request = this.#pending.get(message.id);
    if (request?.forwarded !== true)
      return this.#notice("An answer of the server was dropped, because it belongs to no request");
    this.#pending.delete(message.id);
    if (request.cancelled) return undefined;
    const { limit } = this.#options;
    if (message.text.length > limit)
      return this.#tellClient({
        id: request.id,
        error: {
          code: RPC.refused,
          message: `The server's answer has ${message.text.length} characters; the limit is ${limit}`,
        },
      });
    const opened = request.method === "initialize" ? this.#checkOpening(message) : undefined;
    return connected(this.#client).send(opened ?? message.text);
  }

  // The model reads a server's instructions just as it reads the descriptions of tools.
  #checkOpening({ id, result }: Response): string | undefined {
    if (!isJsonObject(result)) return undefined;
    const { instructions, ...rest } = result as { readonly [key: string]: Json };
    if (instructions === undefined || this.#table.instructions(instructions) !== undefined)
      return undefined;
    return JSON.stringify({ jsonrpc: "2.0", id, result: rest });
  }

  async #list(request: PendingRequest): Promise<void> {
    try {
      if (isJsonObject(request.params) && request.params["cursor"] !== undefined)
        throw new MessageFault(RPC.params, "Unknown `cursor`: all tools are on the first page");
      this.#answer(request, { result: await this.#gate.visible() });
    } catch (error) {
      const { code = RPC.refused, message } = error as Partial<MessageFault>;
      const known = typeof code === "number" ? code : RPC.refused;
      this.#answer(request, {
        error: { code: known, message: message ?? "The tools could not be listed" },
      });
    }
  }

  #forward(request: PendingRequest, text = request.text): void {
    if (request.cancelled) return undefined;
    request.forwarded = true;
    return connected(this.#server).send(text);
  }

  #answer(
    request: PendingRequest,
    answer: { readonly result: Json } | { readonly error: JsonObject },
  ): void {
    // The request was cancelled, or answered with an error because the server ended.
    if (this.#pending.get(request.id) !== request) return undefined;
    this.#pending.delete(request.id);
    return request.cancelled ? undefined : this.#tellClient({ id: request.id, ...answer });
  }

  async #elicit(request: PendingRequest, message: string): Promise<Json | undefined> {
    const cancelled = new AbortController();
    request.onCancel = () => cancelled.abort();
    try {
      return await this.#toClient.ask(
        "elicitation/create",
        { message, requestedSchema: APPROVAL },
        { timeout_ms: ASK_MS, signal: cancelled.signal },
      );
    } catch {
      return undefined;
    }
  }

  #tellClient(answer: object): void {
    return connected(this.#client).send(JSON.stringify({ jsonrpc: "2.0", ...answer }));
  }

  #notice(text: string): void {
    this.#options.notice(text);
  }
}

const APPROVAL: JsonObject = {
  type: "object",
  properties: {
    approve: { type: "boolean", title: "Approve", description: "Let exactly this call run once" },
  },
  required: ["approve"],
};

// A capability without a mode is the older notation for forms.
function elicits(params: Json | undefined): boolean {
  const capabilities = isJsonObject(params) ? params["capabilities"] : undefined;
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined;
  return (
    isJsonObject(elicitation) &&
    (isJsonObject(elicitation["form"]) || elicitation["url"] === undefined)
  );
}

function connected(peer: Peer | undefined): Peer {
  if (peer === undefined) throw new Error("The proxy is not connected");
  return peer;
}
