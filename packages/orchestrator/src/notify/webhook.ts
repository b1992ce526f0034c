import { createHmac } from "node:crypto";
import { omitUndefined, type JsonObject } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import type { OpenQuestion } from "../approvals/question-list.ts";
import type { Webhook } from "../approvals/operators.ts";
import { questionText } from "./question-text.ts";
import { RefusedMessage } from "./send-failure.ts";

/** What a person is told. */
export interface Message {
  readonly run: string;
  /** The name of the person. */
  readonly to: string;
  readonly question: OpenQuestion;
  /** The person's own link to the answer page, if the server has an address for links. */
  readonly link: string | undefined;
  /** How to answer without a link, as a sentence. */
  readonly answer_with?: string | undefined;
  /** RFC 3339. */
  readonly at: string;
}

const TIMEOUT_MS = 10_000;

/**
 * Posts a message to a webhook. With a secret it is signed as the Standard Webhooks specification says. Throws if the answer is not a success, or
 * takes longer than ten seconds. Redirects are refused, because nobody configured their target.
 */
export async function post(
  { url, form, secret }: Webhook,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const place = new URL(url);
  // Ntfy takes JSON at the root, with the topic in it.
  const target = form === "ntfy" ? new URL("/", place) : place;
  const body = JSON.stringify(FORMS[form](message, place));
  const response = await fetch(target, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(secret === undefined ? {} : signature(secret, message, body)),
    },
    body,
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new RefusedMessage(response.status);
}

function signature(
  secret: string,
  { run, to, question, at }: Message,
  body: string,
): Readonly<Record<string, string>> {
  // One for each person, because two may share a webhook, and each has a link of their own.
  const id = digestOf([run, question.id, to]).slice("sha256:".length);
  const seconds = String(Math.floor(Date.parse(at) / 1_000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signed}` };
}

const FORMS: Readonly<Record<Webhook["form"], (message: Message, place: URL) => JsonObject>> = {
  json({ run, question, link, answer_with, at }) {
    const { id, kind, agent, task } = question;
    return {
      type: "question.opened",
      timestamp: at,
      data: {
        id,
        run,
        kind,
        agent,
        task,
        ...questionText(question),
        ...omitUndefined({ answer_url: link, answer_with }),
      },
    };
  },
  ntfy({ question, link, answer_with }, place) {
    const { title, what, reason } = questionText(question);
    return {
      topic: place.pathname.slice(1),
      title,
      message: [what, reason, ...(answer_with === undefined ? [] : [answer_with])].join("\n"),
      ...omitUndefined({ click: link }),
      ...(link === undefined ? {} : { actions: [{ action: "view", label: "Answer", url: link }] }),
    };
  },
};
