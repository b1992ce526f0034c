import type { JsonObject } from "@bylaw/kernel";
import type { SlackChannel } from "../approvals/operators.ts";
import { questionText } from "./question-text.ts";
import type { Message } from "./webhook.ts";

/** Where a message is in Slack, so that it can be changed. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
}

/** The part of a `WebClient` that is used. */
interface SlackClient {
  readonly chat: {
    postMessage(message: object): Promise<Partial<SlackMessage>>;
    update(message: object): Promise<unknown>;
  };
}

const TIMEOUT_MS = 10_000;

/** Why nobody can be told in Slack: its client, an optional peer, is not installed. */
class SlackMissing extends Error {
  override readonly name = "SlackMissing";
}

// Its own log would show what Slack answered.
const SILENT = Object.fromEntries(
  ["debug", "info", "warn", "error", "setLevel", "getLevel", "setName"].map((name) => [
    name,
    () => {},
  ]),
);

async function clientOf({ token, url }: SlackChannel): Promise<SlackClient> {
  // As text, so that its types need not be installed.
  const loaded = (await import("@slack/web-api" as string).catch((cause: unknown) => {
    throw new SlackMissing("Run `npm install @slack/web-api`", { cause });
  })) as { readonly WebClient: new (token: string, options: object) => SlackClient };
  return new loaded.WebClient(token, {
    slackApiUrl: url,
    logger: SILENT,
    // The notifier tries again.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT_MS,
    allowAbsoluteUrls: false,
  });
}

/** Posts a question to the channel of a person. Throws SlackMissing, and what the client throws. */
export async function postToSlack(to: SlackChannel, message: Message): Promise<SlackMessage> {
  const { chat } = await clientOf(to);
  const { channel, ts } = await chat.postMessage({
    ...bodyOf(message, actions(message)),
    channel: to.channel,
  });
  if (channel === undefined || ts === undefined) throw new Error("Slack named no message");
  return { channel, ts };
}

/** Changes the message of a question that is no longer open: it says how it ended, and has no button. */
export async function closeInSlack(
  to: SlackChannel,
  posted: SlackMessage,
  message: Message,
  end: string,
): Promise<void> {
  const { chat } = await clientOf(to);
  await chat.update({
    ...bodyOf(message, [{ type: "context", elements: [plain(end.slice(0, MAX_END_LENGTH))] }]),
    ...posted,
  });
}

const MAX_HEADER_LENGTH = 150;
const MAX_END_LENGTH = 300;

// Only plain text, so that an agent cannot mention people or write links.
const plain = (text: string): JsonObject => ({
  type: "plain_text",
  text: text === "" ? "–" : text,
  emoji: false,
});

function bodyOf({ question }: Message, end: readonly JsonObject[]): JsonObject {
  const { title, what, reason } = questionText(question);
  return {
    // Shown where blocks are not, such as in a notification.
    text: title.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    blocks: [
      { type: "header", text: plain(title.slice(0, MAX_HEADER_LENGTH)) },
      { type: "section", text: plain(what) },
      { type: "context", elements: [plain(reason)] },
      ...end,
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function actions({ link, answer_with }: Message): readonly JsonObject[] {
  if (link !== undefined)
    return [{ type: "actions", elements: [{ type: "button", text: plain("Answer"), url: link }] }];
  return answer_with === undefined ? [] : [{ type: "context", elements: [plain(answer_with)] }];
}
