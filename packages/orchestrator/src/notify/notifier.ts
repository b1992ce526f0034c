import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { KeptOperator } from "../approvals/operators.ts";
import type { OpenQuestion, QuestionList } from "../approvals/question-list.ts";
import type { OperatorList } from "../auth/operator-list.ts";
import { PERSON_TOLD } from "../events/event-types.ts";
import type { Feed } from "../events/feed.ts";
import type { Log } from "../observe/log.ts";
import { setBounded } from "../service/bounded-map.ts";
import { isStoreFailure } from "../service/store-health.ts";
import type { AnswerLinks } from "./answer-link.ts";
import { closeInSlack, postToSlack, type SlackMessage } from "./slack.ts";
import { post, type Message } from "./webhook.ts";

interface NotifierTerms {
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

/** The document of a question that a person was told about, and how long it is kept. */
const KIND = "bylaw/told";
const KEPT_MS = 7 * 86_400_000;
const MOST_TRIES = 5;
/** How many of them are remembered without asking the store. */
const MOST_TOLD = 10_000;
const FIRST_RETRY_MS = 1_000;

interface Recipient {
  readonly name: string;
  readonly roles: readonly string[] | undefined;
  readonly notify: NonNullable<KeptOperator["notify"]>;
}

/** A message in Slack about a question that was open. */
interface PostedMessage {
  readonly posted: SlackMessage;
  readonly message: Message;
}

// Whoever has none of a gate's roles cannot answer it.
const mayAnswer = ({ roles }: Recipient, question: OpenQuestion): boolean =>
  question.kind !== "gate" ||
  roles === undefined ||
  question.approvers.some((role) => roles.includes(role));

/**
 * Tells operators about questions by their webhooks, each once, and records it. It may tell twice if a process dies in between, or several nodes
 * see the question at once; a receiver knows the repetition by its id.
 */
export class Notifier {
  readonly #terms: NotifierTerms;
  readonly #closing = new AbortController();
  readonly #told = new Map<string, true>();
  readonly #posted = new Map<string, PostedMessage>();
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>();
  #working: Promise<void> | undefined;

  constructor(terms: NotifierTerms) {
    this.#terms = terms;
  }

  start(): void {
    this.#working ??= this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #follow(): Promise<void> {
    const { every_ms, log } = this.#terms;
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
    const { feed, every_ms } = this.#terms;
    const { signal } = this.#closing;
    const listener = feed.listen();
    try {
      for (let to = this.#recipients(); to.length > 0 && !signal.aborted; to = this.#recipients()) {
        const head = await feed.head();
        await this.#round(to);
        const ms = this.#failed.size > 0 ? Math.min(FIRST_RETRY_MS, every_ms) : every_ms;
        await listener.after(head, { ms, signal });
      }
    } finally {
      listener.close();
    }
  }

  async #round(recipients: readonly Recipient[]): Promise<void> {
    const { approvals } = await this.#terms.questions.page({}, { limit: 100 });
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
    const found = await this.#terms.questions.get(message.question.id, {});
    if (found === undefined || found.state === "open") return;
    this.#posted.delete(id);
    const to = recipients.find(({ name }) => name === message.to)?.notify;
    if (to?.form !== "slack") return;
    const end = "by" in found ? `${found.state} by ${found.by}` : found.state;
    try {
      await closeInSlack(to, posted, message, end);
    } catch (error) {
      this.#warn(message, error);
    }
  }

  // Not the error itself, which may show an address or a token.
  #warn({ to, question }: Pick<Message, "to" | "question">, error: unknown): void {
    const cause = error instanceof Error ? error.name : "Error";
    const fix = cause === "SlackMissing" ? { fix: "Run `npm install @slack/web-api`" } : {};
    this.#terms.log.warn(
      { operator: to, question: question.id, cause, ...fix },
      "a person could not be told",
    );
  }

  // While the file of operators is broken, nobody in it is known.
  #recipients(): readonly Recipient[] {
    try {
      return this.#terms
        .operators()
        .flatMap(({ name, roles, notify }: KeptOperator) =>
          notify === undefined ? [] : [{ name, roles, notify }],
        );
    } catch {
      return [];
    }
  }

  async #tell(question: OpenQuestion, { name, notify }: Recipient): Promise<void> {
    const { run, store, now } = this.#terms;
    const id = JSON.stringify([run.run, question.id, name]);
    const { tries = 0, until = 0 } = this.#failed.get(id) ?? {};
    if (this.#told.has(id) || until > performance.now()) return;
    const message = { run: run.run, to: name, question, at: now() };
    const before = await store.get(KIND, id);
    if (before !== undefined) {
      setBounded(this.#told, id, true, MOST_TOLD);
      this.#keep(id, postedIn(before.value), { ...message, link: undefined });
      return;
    }
    let posted: SlackMessage | undefined;
    let sent = true;
    try {
      const whole = { ...message, link: await this.#linkTo(question, name) };
      if (notify.form === "slack") posted = await postToSlack(notify, whole);
      else await post(notify, whole, this.#closing.signal);
      this.#keep(id, posted, whole);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#warn(message, error);
      const wait = FIRST_RETRY_MS * 2 ** tries;
      this.#failed.set(id, { tries: tries + 1, until: performance.now() + wait });
      if (tries + 1 < MOST_TRIES) return;
      sent = false;
    }
    this.#failed.delete(id);
    setBounded(this.#told, id, true, MOST_TOLD);
    await this.#record(id, posted, { question: question.id, to: name, form: notify.form, sent });
  }

  async #linkTo(question: OpenQuestion, name: string): Promise<string | undefined> {
    const { links, settings } = this.#terms;
    const { answers_at, link_minutes } = settings;
    if (answers_at === undefined) return undefined;
    const token = await links.sign({ question: question.id, by: name }, link_minutes);
    return `${answers_at.replace(/\/$/, "")}/api/v1/answers/${token}`;
  }

  #keep(id: string, posted: SlackMessage | undefined, message: Message): void {
    if (posted !== undefined) setBounded(this.#posted, id, { posted, message }, MOST_TOLD);
  }

  async #record(
    id: string,
    posted: SlackMessage | undefined,
    details: {
      readonly question: string;
      readonly to: string;
      readonly form: string;
      readonly sent: boolean;
    },
  ): Promise<void> {
    const { run, now } = this.#terms;
    const expires_at = new Date(Date.parse(now()) + KEPT_MS).toISOString();
    const documents = [
      {
        kind: KIND,
        id,
        value: JSON.stringify({ to: details.to, ...posted }),
        if_version: 0,
        expires_at,
      },
    ];
    const event = { event_type: PERSON_TOLD, agent_id: null, task_id: null, details };
    try {
      await run.record([event], { documents });
    } catch (error) {
      // Another node has told this person too.
      if ((await this.#terms.store.get(KIND, id)) === undefined) throw error;
    }
  }
}

function postedIn(value: string): SlackMessage | undefined {
  const { channel, ts } = JSON.parse(value) as Partial<SlackMessage>;
  return channel === undefined || ts === undefined ? undefined : { channel, ts };
}
