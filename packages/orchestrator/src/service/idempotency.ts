import { type IdempotentRequest, type RequestKey } from "./idempotent-request.ts";
import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";
import type { DocumentWrite } from "@bylaw/store";
import { problem } from "../http/problem.ts";
import type { Service } from "./service.ts";

/** How long it is remembered what a request id was used for. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
const KIND = "bylaw/request";
const ANSWER = "bylaw/answer";

/**
 * What is known of a request under its id. Nothing for one without. Throws the problem of an id that was used for something else: a client
 * that does so would take the answer to one thing for that to another.
 */
export function idempotentRequest(
  service: Service,
  naming: RequestKey,
): Promise<IdempotentRequest> | undefined {
  const { request_id } = naming;
  return request_id === undefined ? undefined : known(service, { ...naming, request_id });
}

async function known(
  { run, store, now }: Service,
  { agent, task, request_id, content }: RequestKey & { readonly request_id: string },
): Promise<IdempotentRequest> {
  const id = JSON.stringify([run.run, agent, task, request_id]);
  const value = createHash("sha256").update(canonicalJson(content)).digest("hex");
  const found = await store.get(KIND, id);
  if (found !== undefined && found.value !== value)
    throw problem({
      status: 409,
      code: "BYLAW_REQUEST_REUSED",
      detail: "This request id was used for a different request",
      fix: "Use a new id for each request, and the same id only to repeat one.",
    });
  const expires_at = new Date(Date.parse(now()) + KEPT_MS).toISOString();
  const name = createHash("sha256").update(`${id}\n${value}`).digest("hex");
  return {
    request_id,
    name,
    known: found !== undefined,
    documents: [{ kind: KIND, id, value, expires_at }],
  };
}

/** The largest answer that is kept for a request that is made again, in characters. */
const LARGEST = 262_144;

/** The document of what an execution came to. */
export function answerDocument(
  { name }: IdempotentRequest,
  answer: Json,
  now: string,
): DocumentWrite {
  const text = JSON.stringify(answer);
  const value = text.length <= LARGEST ? text : JSON.stringify({ omitted: true });
  return {
    kind: ANSWER,
    id: name,
    value,
    expires_at: new Date(Date.parse(now) + KEPT_MS).toISOString(),
  };
}

/** What an execution came to when it was asked for before; nothing where that is not on record. */
export async function keptAnswer(
  { store }: Pick<Service, "store">,
  { name }: IdempotentRequest,
): Promise<Json | undefined> {
  const found = await store.get(ANSWER, name);
  return found === undefined ? undefined : (JSON.parse(found.value) as Json);
}
