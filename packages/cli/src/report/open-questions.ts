/** How questions were answered. The others were not. */
export interface AnswerCount {
  /** A call that is asked about again before an answer counts once. */
  asked: number;
  yes: number;
  no: number;
  /** Nobody answered in Bylaw, but the call returned: its host had asked, or had let it run. */
  by_host: number;
}

/** A question that waits for an answer. */
export interface OpenQuestion {
  /** The digest that an approval is bound to, or a key of the call if the log does not have all of it. */
  readonly key: string;
  /** Of the event that asked last. */
  readonly sequence: number;
  /** Of the call. */
  readonly id: string | undefined;
  /** Milliseconds since 1970. */
  readonly asked_at: number;
  /** The counts that an answer changes. */
  readonly counts: readonly AnswerCount[];
}

/** The most questions that are kept. Answers to older ones are not counted. */
const MOST = 10_000;

/** The open questions of one run, by the ways in which an answer names them. */
export class OpenQuestions {
  readonly #byKey = new Map<string, OpenQuestion>();
  readonly #bySequence = new Map<number, OpenQuestion>();
  readonly #byId = new Map<string, OpenQuestion>();

  byKey(key: string): OpenQuestion | undefined {
    return this.#byKey.get(key);
  }

  bySequence(sequence: number): OpenQuestion | undefined {
    return this.#bySequence.get(sequence);
  }

  byId(id: string): OpenQuestion | undefined {
    return this.#byId.get(id);
  }

  /** Adds a question. It replaces one with the same key. */
  add(question: OpenQuestion): void {
    const { key, sequence, id } = question;
    const before = this.#byKey.get(key);
    if (before !== undefined) this.remove(before);
    this.#byKey.set(key, question);
    this.#bySequence.set(sequence, question);
    if (id !== undefined) this.#byId.set(id, question);
    const [oldest] = this.#byKey.values();
    if (this.#byKey.size > MOST && oldest !== undefined) this.remove(oldest);
  }

  remove(question: OpenQuestion): void {
    const { key, sequence, id } = question;
    this.#byKey.delete(key);
    this.#bySequence.delete(sequence);
    if (id !== undefined && this.#byId.get(id) === question) this.#byId.delete(id);
  }
}
