import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { DocumentWrite, Store } from "@bylaw/store";
import type { AgentCaller, OperatorCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";

/** A request that its caller may repeat. */
export interface IdempotentRequest {
  readonly request_id: string;
  /** Equal for the same request of the same caller, and unique otherwise. */
  readonly name: string;
  /** Whether the request was made before. */
  readonly known: boolean;
  /** Documents that are written together with its outcome. */
  readonly documents: readonly DocumentWrite[];
}

/** A request with its caller and the id that the caller chose. */
export interface RepeatableRequest {
  readonly service: {
    readonly run: Pick<Run, "run">;
    readonly store: Pick<Store, "get">;
    readonly now: () => string;
  };
  readonly caller: AgentCaller | OperatorCaller;
  readonly request_id: string | undefined;
}

/** How long the use of a request id is remembered, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
/** The most characters of an answer that is kept for a repeated request. */
const LARGEST = 262_144;
const KIND = "bylaw/request";
const ANSWER = "bylaw/answer";

/**
 * Looks up a request by its id. Resolves to `undefined` for a request without an id. `content`: everything that the request asks for.
 * Throws the problem of an id that was used for another request, because the client would take one answer for the other.
 */
export async function idempotentRequest(
  { service, caller, request_id }: RepeatableRequest,
  content: Json,
): Promise<IdempotentRequest | undefined> {
  if (request_id === undefined) return undefined;
  const { run, store, now } = service;
  // An operator gets no task, so that an agent with the same name is a different caller.
  const [agent, task] = caller.kind === "agent" ? [caller.agent, caller.task] : [caller.name, ""];
  const id = JSON.stringify([run.run, agent, task, request_id]);
  const value = sha256(canonicalJson(content));
  const found = await store.get(KIND, id);
  if (found !== undefined && found.value !== value)
    throw problem({
      status: 409,
      code: "BYLAW_REQUEST_REUSED",
      detail: "This request id was used for a different request",
      fix: "Use a new id for each request, and the same id only to repeat one.",
    });
  return {
    request_id,
    name: sha256(`${id}\n${value}`),
    known: found !== undefined,
    documents: [{ kind: KIND, id, value, expires_at: keptUntil(now()) }],
  };
}

/** How a decision is recorded once under a request id. */
export const recordOnce = (
  named: IdempotentRequest | undefined,
): { readonly request_id?: string; readonly documents?: readonly DocumentWrite[] } =>
  named === undefined ? {} : { request_id: named.name, documents: named.documents };

/** The document with the outcome of an execution. */
export function answerDocument(
  { name }: IdempotentRequest,
  answer: Json,
  now: string,
): DocumentWrite {
  const text = JSON.stringify(answer);
  const value = text.length <= LARGEST ? text : JSON.stringify({ omitted: true });
  return { kind: ANSWER, id: name, value, expires_at: keptUntil(now) };
}

/** The outcome of an earlier execution. `undefined` if it was not recorded. */
export async function keptAnswer(
  store: Pick<Store, "get">,
  { name }: IdempotentRequest,
): Promise<Json | undefined> {
  const found = await store.get(ANSWER, name);
  return found === undefined ? undefined : (JSON.parse(found.value) as Json);
}

const keptUntil = (now: string): string => new Date(Date.parse(now) + KEPT_MS).toISOString();

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
