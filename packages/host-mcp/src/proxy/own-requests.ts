import { randomUUID } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { MessageFault, RPC, type Message } from "./message.ts";
import type { Peer } from "./peer.ts";

interface Waiting {
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
}

/** The proxy's own requests to one side, with ids that nobody can guess. */
export class OwnRequests {
  readonly #prefix = `bylaw-${randomUUID()}-`;
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #peer: () => Peer;
  #count = 0;

  constructor(peer: () => Peer) {
    this.#peer = peer;
  }

  /**
   * Sends a request. Rejects with the other side's error, after `timeout_ms`, or if `signal` aborts. In the last two cases it asks the
   * other side to cancel.
   */
  async ask(
    method: string,
    params: JsonObject,
    { timeout_ms, signal }: { readonly timeout_ms: number; readonly signal?: AbortSignal },
  ): Promise<Json> {
    this.#count += 1;
    const id = `${this.#prefix}${this.#count}`;
    const late = AbortSignal.timeout(timeout_ms);
    const ended = signal === undefined ? late : AbortSignal.any([late, signal]);
    const answer = new Promise<Json>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      ended.addEventListener("abort", () => {
        if (!this.#waiting.delete(id)) return;
        const reason = "The request is no longer needed";
        const cancelled = {
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id, reason },
        };
        this.#peer().send(JSON.stringify(cancelled));
        reject(new MessageFault(RPC.refused, `\`${method}\` was not answered in time`));
      });
    });
    this.#peer().send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return await answer;
  }

  /** Accepts the answer to one of these requests. Returns false for any other answer. */
  settle({ id, result, error }: Message & { readonly kind: "response" }): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(result ?? null);
    else {
      const { code, message } = isJsonObject(error) ? error : ({} as Partial<JsonObject>);
      waiting.reject(
        new MessageFault(
          typeof code === "number" ? code : RPC.refused,
          typeof message === "string" ? message : "The request failed",
        ),
      );
    }
    return true;
  }

  /** Rejects all open requests. */
  end(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new MessageFault(RPC.refused, reason));
    this.#waiting.clear();
  }
}
