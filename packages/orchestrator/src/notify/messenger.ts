import { omitUndefined } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { KeptOperator } from "../approvals/operators.ts";
import type { OpenQuestion } from "../approvals/question-list.ts";
import { setBounded } from "../service/bounded-map.ts";
import { MESSAGE_CLAIMED, PERSON_TOLD } from "./message-events.ts";
import { sendFailure } from "./send-failure.ts";
import { postToSlack, type SlackMessage } from "./slack.ts";
import { post, type Message } from "./webhook.ts";

/** The document of a question that a person was told about, and how long it is kept. */
const KIND = "bylaw/told";
const KEPT_MS = 7 * 86_400_000;
/** The document by which a process claims a message, and how long the claim holds: longer than all its tries take. */
const CLAIM = "bylaw/telling";
const CLAIMED_MS = 120_000;
const MAX_TRIES = 5;
/** How many messages are known to be sent without asking the store. */
const MAX_SENT = 10_000;
/** How long to wait after the first failure, in milliseconds. */
export const FIRST_RETRY_MS = 1_000;

/** An operator who is told about questions. */
export interface Recipient {
  readonly name: string;
  readonly roles: readonly string[] | undefined;
  readonly notify: NonNullable<KeptOperator["notify"]>;
}

/** The operators of a list who want to be told. */
export const recipientsIn = (operators: readonly KeptOperator[]): readonly Recipient[] =>
  operators.flatMap(({ name, roles, notify }) =>
    notify === undefined ? [] : [{ name, roles, notify }],
  );

/** A message in Slack about a question that was open. */
export interface PostedMessage {
  readonly posted: SlackMessage;
  readonly message: Message;
}

interface MessengerOptions {
  readonly run: Pick<Run, "run" | "record">;
  readonly store: Pick<Store, "get">;
  /** Returns how a person can answer a question. */
  readonly answerBy: (
    question: OpenQuestion,
    name: string,
  ) => Promise<Pick<Message, "link" | "answer_with">>;
  readonly now: () => string;
  readonly signal: AbortSignal;
  readonly onFailed: (about: Pick<Message, "to" | "question">, why: string) => void;
}

/** What became of a message. */
interface Outcome {
  /** Whether nothing is left to do: this or another process told the person, or failed each time. */
  readonly done: boolean;
  readonly posted?: PostedMessage | undefined;
}

interface Details {
  readonly question: string;
  readonly to: string;
  readonly form: string;
}

/**
 * Tells people about questions, each once, however many processes try. It tells twice only if a process dies between the message and its
 * record; a receiver knows the repetition by its id.
 */
export class Messenger {
  readonly #options: MessengerOptions;
  readonly #delivered = new Map<string, true>();
  readonly #claimed = new Set<string>();
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>();

  constructor(options: MessengerOptions) {
    this.#options = options;
  }

  /** Whether a message failed and is tried again by the next call. */
  get retries(): boolean {
    return this.#failed.size > 0;
  }

  /** Makes one try to tell a person. Throws the errors of the store. */
  async tell(question: OpenQuestion, { name, notify }: Recipient): Promise<Outcome> {
    const { run, store, now, answerBy, signal, onFailed } = this.#options;
    const id = JSON.stringify([run.run, question.id, name]);
    if (this.#delivered.has(id)) return { done: true };
    const { tries = 0, until = 0 } = this.#failed.get(id) ?? {};
    if (until > performance.now()) return { done: false };
    const message = { run: run.run, to: name, question, at: now() };
    const before = await store.get(KIND, id);
    if (before !== undefined) {
      setBounded(this.#delivered, id, true, MAX_SENT);
      return { done: true, posted: messageIn(before.value, message) };
    }
    const details = { question: question.id, to: name, form: notify.form };
    if (!(await this.#claim(id, details))) return { done: false };
    let posted: SlackMessage | undefined;
    let why: string | undefined;
    const whole = { ...message, ...(await answerBy(question, name)) };
    try {
      if (notify.form === "slack") posted = await postToSlack(notify, whole);
      else await post(notify, whole, signal);
    } catch (error) {
      if (signal.aborted) return { done: false };
      why = sendFailure(error);
      onFailed(message, why);
      const wait = FIRST_RETRY_MS * 2 ** tries;
      this.#failed.set(id, { tries: tries + 1, until: performance.now() + wait });
      if (tries + 1 < MAX_TRIES) return { done: false };
    }
    this.#failed.delete(id);
    this.#claimed.delete(id);
    setBounded(this.#delivered, id, true, MAX_SENT);
    await this.#record(id, posted, {
      ...{ ...details, sent: why === undefined },
      ...omitUndefined({ why }),
    });
    return { done: true, posted: posted && { posted, message: whole } };
  }

  /** Whether this process may send a message. The claim of a process that died expires. */
  async #claim(id: string, details: Details): Promise<boolean> {
    if (this.#claimed.has(id)) return true;
    const { store } = this.#options;
    if ((await store.get(CLAIM, id)) !== undefined) return false;
    try {
      await this.#write(MESSAGE_CLAIMED, { ...details }, { kind: CLAIM, id, value: "{}" });
    } catch (error) {
      if ((await store.get(CLAIM, id)) === undefined) throw error;
      return false;
    }
    this.#claimed.add(id);
    return true;
  }

  async #record(
    id: string,
    posted: SlackMessage | undefined,
    details: Details & { readonly sent: boolean; readonly why?: string },
  ): Promise<void> {
    const value = JSON.stringify({ to: details.to, ...posted });
    try {
      await this.#write(PERSON_TOLD, { ...details }, { kind: KIND, id, value });
    } catch (error) {
      // Another process has told this person too.
      if ((await this.#options.store.get(KIND, id)) === undefined) throw error;
    }
  }

  async #write(
    event_type: string,
    details: Readonly<Record<string, string | boolean>>,
    document: { readonly kind: string; readonly id: string; readonly value: string },
  ): Promise<void> {
    const { run, now } = this.#options;
    const kept = document.kind === CLAIM ? CLAIMED_MS : KEPT_MS;
    const expires_at = new Date(Date.parse(now()) + kept).toISOString();
    await run.record([{ event_type, agent_id: null, task_id: null, details }], {
      documents: [{ ...document, if_version: 0, expires_at }],
    });
  }
}

function messageIn(value: string, message: Omit<Message, "link">): PostedMessage | undefined {
  const { channel, ts } = JSON.parse(value) as Partial<SlackMessage>;
  if (channel === undefined || ts === undefined) return undefined;
  return { posted: { channel, ts }, message: { ...message, link: undefined } };
}
