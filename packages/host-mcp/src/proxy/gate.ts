import { reasonOf, takeOffer } from "@bylaw/host";
import {
  isJsonObject,
  messageOf,
  type Decision,
  type Json,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { oneLine, quote } from "@bylaw/wording";
import { methodCallOf, paramsOf, textIn, toolCallOf, type ProxyPlace } from "./call.ts";
import { RPC, MessageFault, readClientMessage } from "./message.ts";
import type { PendingRequest } from "./pending.ts";
import type { ListedTool, ToolTable } from "./tool-table.ts";

/** A recorded question. */
export interface RecordedQuestion {
  readonly decision: Decision;
  /** The command with which a person answers elsewhere. */
  readonly answer_with: string;
  /** Records the answer of the person at the client, and decides again. Left out if only an operator with a token may answer. */
  readonly answer?: (verdict: "approved" | "rejected") => Promise<Decision>;
}

/** Decides about calls. */
export interface ProxyJudge {
  /** `offered`: the call is offered instead of another one, so it does not run unless a rule allows it. */
  readonly decide: (
    call: ToolCall,
    options?: { readonly offered?: boolean },
  ) => Decision | Promise<Decision>;
  /** Records a question. A call that a person approved before is allowed once. */
  readonly record: (call: ToolCall) => Promise<RecordedQuestion>;
  /** Whether a tool is denied whatever its arguments are. */
  readonly hides: (call: ToolCall) => boolean | Promise<boolean>;
}

export interface GateOptions {
  readonly place: ProxyPlace;
  readonly judge: ProxyJudge;
  readonly table: ToolTable;
  /** `text`: the message to send instead of the client's. */
  readonly forward: (request: PendingRequest, text?: string) => void;
  readonly answer: (
    request: PendingRequest,
    answer: { readonly result: Json } | { readonly error: JsonObject },
  ) => void;
  /** Asks the person at the client. Undefined if the client cannot ask. Resolves to undefined if there is no answer. */
  readonly elicit: (
    request: PendingRequest,
    message: string,
  ) => Promise<Json | undefined> | undefined;
  readonly canElicit: () => boolean;
}

/** A call in a request. */
interface RequestedCall {
  readonly request: PendingRequest;
  readonly call: ToolCall;
  /** The tool, if the request calls one. */
  readonly tool?: ListedTool;
}

/** The longest call to show in a dialog, in characters. A longer one cannot be approved there, because a person must see all of it. */
const SHOWN = 4_000;

/** Judges requests: passes them on, refuses them, or asks a person. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Judges a request. Does so synchronously if nothing needs to be awaited. */
  judge(request: PendingRequest): void {
    const { place, table, judge } = this.#options;
    try {
      const params = paramsOf(request.params);
      let asked: RequestedCall;
      if (request.method === "tools/call") {
        const tool = table.current?.tools.get(textIn(params, "name"));
        // The tool may have been added or accepted since the last list.
        if (tool === undefined || tool.fault !== undefined) return this.#judgeAnew(request, params);
        asked = { request, tool, call: toolCallOf(params, tool, place) };
      } else asked = { request, call: methodCallOf(request.method, params, place) };
      const decision = judge.decide(asked.call);
      return decision instanceof Promise
        ? this.#guarded(request, async () => this.#apply(asked, await decision))
        : this.#apply(asked, decision);
    } catch (error) {
      return this.#fail(request, error);
    }
  }

  /** The tools to show to the client. */
  async visible(): Promise<JsonObject> {
    const { place, table, judge } = this.#options;
    const { answer, tools } = await table.load();
    const shown: JsonObject[] = [];
    for (const tool of tools.values()) {
      if (tool.fault !== undefined) continue;
      const hidden = await judge.hides(toolCallOf({}, tool, place));
      if (!hidden) shown.push(tool.definition);
    }
    const { nextCursor: _, ...rest } = answer as { readonly [key: string]: Json };
    return { ...rest, tools: shown };
  }

  #judgeAnew(request: PendingRequest, params: JsonObject): void {
    const { place, table, judge } = this.#options;
    this.#guarded(request, async () => {
      const name = textIn(params, "name");
      const tool = (await table.load()).tools.get(name);
      if (tool === undefined)
        throw new MessageFault(
          RPC.params,
          `The server ${quote(place.server)} has no tool ${quote(name)}`,
        );
      if (tool.fault !== undefined)
        throw new Refusal(
          `The tool ${quote(name)} is withheld: ${tool.fault}. A person can look at it and accept it with \`bylaw mcp --accept-tools\`.`,
        );
      const call = toolCallOf(params, tool, place);
      this.#apply({ request, tool, call }, await judge.decide(call));
    });
  }

  #apply(asked: RequestedCall, decision: Decision): void {
    const { request, tool } = asked;
    if (request.cancelled) return undefined;
    if (decision.applied === "allow") return this.#options.forward(request);
    // Only the arguments of a tool are those in the message.
    return tool === undefined || decision.instead === undefined
      ? this.#stop(asked, decision)
      : this.#guarded(request, () => this.#takeOffer({ ...asked, tool }, decision));
  }

  #stop({ request, call }: RequestedCall, decision: Decision): void {
    if (request.cancelled) return undefined;
    if (decision.applied === "deny") return this.#refuse(request, reasonOf(decision));
    return this.#guarded(request, () => this.#ask(request, call, decision));
  }

  async #takeOffer(asked: Required<RequestedCall>, decision: Decision): Promise<void> {
    const { place, judge, forward } = this.#options;
    const { request, call, tool } = asked;
    const { id = "" } = call;
    let text = "";
    const taken = await takeOffer(call, decision, ({ args }) => {
      text = textWith(request, args);
      // Read from the text, as the client's, so that what is judged is what the server gets.
      const message = readClientMessage(text);
      const params = paramsOf(message.kind === "request" ? message.params : undefined);
      return judge.decide({ ...toolCallOf(params, tool, place), id }, { offered: true });
    });
    return taken.call === undefined ? this.#stop(asked, taken.decision) : forward(request, text);
  }

  async #ask(
    request: PendingRequest,
    given: ToolCall,
    { instead }: Pick<Decision, "instead">,
  ): Promise<void> {
    const { judge, forward, elicit, canElicit } = this.#options;
    const text = questionText(given);
    const interactive = canElicit() && text.length <= SHOWN;
    const call = { ...given, interactive };
    const { decision: recorded, answer_with, answer } = await judge.record(call);
    // An offer that was denied is not told.
    const decision = { ...recorded, instead };
    if (request.cancelled) return;
    if (decision.applied === "allow") return forward(request);
    const reason = reasonOf(decision);
    if (!OPEN.has(decision.code) && decision.applied === "deny")
      return this.#refuse(request, reason);
    if (interactive && answer !== undefined) {
      const verdict = verdictIn(await elicit(request, `${text}\n\n${oneLine(reason, 500)}`));
      if (request.cancelled) return;
      if (verdict !== undefined) {
        const after = await answer(verdict);
        if (request.cancelled) return;
        return verdict === "approved" && after.applied === "allow"
          ? forward(request)
          : this.#refuse(
              request,
              verdict === "rejected" ? `A person rejected this. ${reason}` : reasonOf(after),
            );
      }
    }
    this.#refuse(request, `${reason} A person can approve it: ${answer_with}. Then try again.`);
  }

  #guarded(request: PendingRequest, work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#fail(request, error));
  }

  #fail(request: PendingRequest, error: unknown): void {
    const { answer } = this.#options;
    if (error instanceof MessageFault)
      return answer(request, { error: { code: error.code, message: error.message } });
    if (error instanceof Refusal) return this.#refuse(request, error.message);
    return this.#refuse(
      request,
      `Bylaw could not judge this: ${messageOf(error) || "unknown error"}`,
    );
  }

  // A model reads the result of a tool, but only its host reads an error.
  #refuse(request: PendingRequest, reason: string): void {
    const { answer } = this.#options;
    const { method, params } = request;
    const asTask = isJsonObject(params) && params["task"] !== undefined;
    return method === "tools/call" && !asTask
      ? answer(request, { result: { content: [{ type: "text", text: reason }], isError: true } })
      : answer(request, { error: { code: RPC.refused, message: reason } });
  }
}

class Refusal extends Error {}

function textWith({ text, params }: PendingRequest, args: JsonObject): string {
  const message = JSON.parse(text) as JsonObject;
  return JSON.stringify({ ...message, params: { ...(params as JsonObject), arguments: args } });
}

const OPEN: ReadonlySet<string> = new Set(["approval_unavailable", "approval_expired"]);

function verdictIn(reply: Json | undefined): "approved" | "rejected" | undefined {
  if (!isJsonObject(reply)) return undefined;
  const { action, content } = reply as Partial<JsonObject>;
  if (action === "decline") return "rejected";
  if (action !== "accept" || !isJsonObject(content)) return undefined;
  const { approve } = content as Partial<JsonObject>;
  return typeof approve === "boolean" ? (approve ? "approved" : "rejected") : undefined;
}

// As JSON, so that no argument can look like a line of this text.
function questionText({ tool, server = "", args }: ToolCall): string {
  const shown = JSON.stringify(args, null, 2).replace(
    /(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return `Bylaw asks: may ${quote(tool)} of the MCP server ${quote(server)} run once with these arguments?\n${shown}`;
}
