import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { OpenQuestion, QuestionList } from "../approvals/question-list.ts";
import type { OperatorList } from "../auth/operator-list.ts";
import type { Feed } from "../events/feed.ts";
import type { Log } from "../observe/log.ts";
import { setBounded } from "../service/bounded-map.ts";
import { isStoreFailure } from "../service/store-health.ts";
import type { AnswerLinks } from "./answer-link.ts";
import {
  FIRST_RETRY_MS,
  Messenger,
  recipientsIn,
  type PostedMessage,
  type Recipient,
} from "./messenger.ts";
import { sendFailure } from "./send-failure.ts";
import { closeInSlack } from "./slack.ts";
import type { Message } from "./webhook.ts";

interface NotifierOptions {
  readonly run: Run;
  readonly store: Pick<Store, "get">;
  readonly questions: QuestionList;
  readonly feed: Feed;
  readonly operators: OperatorList;
  readonly links: AnswerLinks;
  readonly settings: { readonly answers_at?: string | undefined; readonly link_minutes: number };
  /** How long to wait for events before looking anyway, in milliseconds. */
  readonly every_ms: number;
  readonly now: () => string;
  readonly log: Log;
}

/** How many messages in Slack are remembered. */
const MAX_POSTED = 10_000;

// Only people with one of a gate's roles can answer it.
const mayAnswer = ({ roles }: Recipient, question: OpenQuestion): boolean =>
  question.kind !== "gate" ||
  roles === undefined ||
  question.approvers.some((role) => roles.includes(role));

/** Tells operators about the questions of a run by their webhooks. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #closing = new AbortController();
  readonly #messenger: Messenger;
  readonly #posted = new Map<string, PostedMessage>();
  #working: Promise<void> | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
    const { run, store, now } = options;
    this.#messenger = new Messenger({
      ...{ run, store, now, signal: this.#closing.signal },
      answerBy: async (question, name) => ({ link: await this.#linkTo(question, name) }),
      onFailed: (message, why) => this.#warn(message, why),
    });
  }

  start(): void {
    this.#working ??= this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #follow(): Promise<void> {
    const { every_ms, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        if (this.#recipients().length > 0) await this.#tellUntilNobodyIsLeft();
      } catch (error) {
        if (!isStoreFailure(error) && !signal.aborted)
          log.warn({ error: messageOf(error) }, "people could not be told about questions");
      }
      await sleep(every_ms, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #tellUntilNobodyIsLeft(): Promise<void> {
    const { feed, every_ms } = this.#options;
    const { signal } = this.#closing;
    const listener = feed.listen();
    try {
      for (let to = this.#recipients(); to.length > 0 && !signal.aborted; to = this.#recipients()) {
        const head = await feed.head();
        await this.#round(to);
        const ms = this.#messenger.retries ? Math.min(FIRST_RETRY_MS, every_ms) : every_ms;
        await listener.after(head, { ms, signal });
      }
    } finally {
      listener.close();
    }
  }

  async #round(recipients: readonly Recipient[]): Promise<void> {
    const { approvals } = await this.#options.questions.page({}, { limit: 100 });
    const open = approvals.filter(({ state }) => state === "open");
    await Promise.all(
      open.flatMap((question) =>
        recipients
          .filter((one) => mayAnswer(one, question))
          .map((one) => this.#tell(question, one)),
      ),
    );
    const isOpen = new Set(open.map(({ id }) => id));
    for (const [id, one] of this.#posted)
      if (!isOpen.has(one.message.question.id)) await this.#close(id, one, recipients);
  }

  // What is shown in Slack is a hint, so it is changed at most once.
  async #close(
    id: string,
    { posted, message }: PostedMessage,
    recipients: readonly Recipient[],
  ): Promise<void> {
    const found = await this.#options.questions.get(message.question.id, {});
    if (found === undefined || found.state === "open") return;
    this.#posted.delete(id);
    const to = recipients.find(({ name }) => name === message.to)?.notify;
    if (to?.form !== "slack") return;
    const end = "by" in found ? `${found.state} by ${found.by}` : found.state;
    try {
      await closeInSlack(to, posted, message, end);
    } catch (error) {
      this.#warn(message, sendFailure(error));
    }
  }

  #warn({ to, question }: Pick<Message, "to" | "question">, why: string): void {
    this.#options.log.warn(
      { operator: to, question: question.id, why },
      "a person could not be told",
    );
  }

  // While the file of operators is broken, nobody in it is known.
  #recipients(): readonly Recipient[] {
    try {
      return recipientsIn(this.#options.operators());
    } catch {
      return [];
    }
  }

  async #tell(question: OpenQuestion, to: Recipient): Promise<void> {
    const { posted } = await this.#messenger.tell(question, to);
    const id = JSON.stringify([question.id, to.name]);
    if (posted !== undefined) setBounded(this.#posted, id, posted, MAX_POSTED);
  }

  async #linkTo(question: OpenQuestion, name: string): Promise<string | undefined> {
    const { links, settings } = this.#options;
    const { answers_at, link_minutes } = settings;
    if (answers_at === undefined) return undefined;
    const token = await links.sign({ question: question.id, by: name }, link_minutes);
    return `${answers_at.replace(/\/$/, "")}/api/v1/answers/${token}`;
  }
}
