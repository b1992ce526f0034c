import type { LogEvent } from "@bylaw/kernel";
import { recordedDigest } from "./approval.ts";
import { callHash } from "./recorded-call.ts";

/** A question about a call that waits for an answer. */
interface OpenQuestion<Kept> {
  /** The digest that an approval is bound to, or a key of the call if the log does not have all of it. */
  readonly key: string;
  /** Of the event that asked last. */
  readonly sequence: number;
  /** Of the call. */
  readonly id: string | undefined;
  readonly kept: Kept;
}

/** The most questions that are kept. Answers to older ones are not counted. */
const MAX_QUESTIONS = 10_000;

/** The open questions of one run, by the ways in which an answer names them. */
export class OpenQuestions<Kept> {
  readonly #byKey = new Map<string, OpenQuestion<Kept>>();
  readonly #bySequence = new Map<number, OpenQuestion<Kept>>();
  readonly #byId = new Map<string, OpenQuestion<Kept>>();

  /**
   * Adds the question that an event asks. A call that is asked about again before an answer is the same question: then `make` is not
   * called.
   */
  ask(event: LogEvent, make: () => Kept): void {
    const { sequence, details } = event;
    const key = recordedDigest(event) ?? callHash(event);
    const id = typeof details["id"] === "string" ? details["id"] : undefined;
    const kept = this.#byKey.get(key)?.kept ?? make();
    this.#add({ key, sequence, id, kept });
  }

  /** Removes and returns what is kept of the question that an event answers. */
  answered({ event_type, details }: LogEvent): Kept | undefined {
    if (event_type === "approval_refused") return this.settled(Number(details["asked"]));
    const question =
      event_type === "approval_granted"
        ? this.#byKey.get(String(details["digest"]))
        : this.#byId.get(String(details["id"]));
    if (question !== undefined) this.#remove(question);
    return question?.kept;
  }

  /** Removes and returns what is kept of the question that an event asked. It no longer needs an answer. */
  settled(sequence: number): Kept | undefined {
    const question = this.#bySequence.get(sequence);
    if (question !== undefined) this.#remove(question);
    return question?.kept;
  }

  #add(question: OpenQuestion<Kept>): void {
    const { key, sequence, id } = question;
    const before = this.#byKey.get(key);
    if (before !== undefined) this.#remove(before);
    this.#byKey.set(key, question);
    this.#bySequence.set(sequence, question);
    if (id !== undefined) this.#byId.set(id, question);
    const [oldest] = this.#byKey.values();
    if (this.#byKey.size > MAX_QUESTIONS && oldest !== undefined) this.#remove(oldest);
  }

  #remove(question: OpenQuestion<Kept>): void {
    const { key, sequence, id } = question;
    this.#byKey.delete(key);
    this.#bySequence.delete(sequence);
    if (id !== undefined && this.#byId.get(id) === question) this.#byId.delete(id);
  }
}
