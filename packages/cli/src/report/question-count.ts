import { createHash } from "node:crypto";
import type { LogEvent } from "@bylaw/kernel";
import { asksPerson, callKey, recordedDigest } from "@bylaw/log";
import { BoundedNames } from "./bounded-names.ts";
import { decidedBy } from "./decision-of.ts";
import { OpenQuestions, type AnswerCount, type OpenQuestion } from "./open-questions.ts";
import { WaitTimes } from "./wait-times.ts";

/** Questions of one rule about one tool. */
export interface QuestionCount extends AnswerCount {
  readonly rule: string;
  readonly tool: string;
  /** The start of the arguments of the first call, as JSON. */
  readonly example: string;
}

/** The answers of one person. */
export interface PersonCount {
  readonly by: string;
  readonly yes: number;
  readonly no: number;
  /** From the first time that the call was asked about, with two significant digits. */
  readonly median_seconds: number;
  readonly longest_seconds: number;
}

export interface QuestionReport {
  readonly totals: AnswerCount;
  readonly rules: readonly QuestionCount[];
  readonly people: readonly PersonCount[];
  /** By date, in UTC. */
  readonly days: readonly (AnswerCount & { readonly day: string })[];
}

const noAnswers = (): AnswerCount => ({ asked: 0, yes: 0, no: 0, by_host: 0 });
const EXAMPLE = 200;

/** Counts the questions about calls and their answers. Memory grows with the number of different names, not of events. */
export class QuestionCounter {
  readonly #totals = noAnswers();
  readonly #rules = new BoundedNames(() => ({
    ...{ ...noAnswers(), rule: "(others)", tool: "(others)", example: "" },
  }));
  readonly #people = new BoundedNames(() => ({ yes: 0, no: 0, waits: new WaitTimes() }));
  readonly #days = new BoundedNames(noAnswers);
  #open = new OpenQuestions();

  /** A question is only answered in its own run. */
  begin(): void {
    this.#open = new OpenQuestions();
  }

  add(event: LogEvent): void {
    const { event_type, details } = event;
    if (asksPerson(event)) this.#ask(event);
    else if (event_type === "approval_granted")
      this.#answer(this.#open.byKey(String(details["digest"])), event, "yes");
    else if (event_type === "approval_refused")
      this.#answer(this.#open.bySequence(Number(details["asked"])), event, "no");
    else if (event_type === "tool_result") this.#returned(String(details["id"]));
  }

  result(): QuestionReport {
    return {
      totals: this.#totals,
      rules: this.#rules.entries
        .map(([, count]) => count)
        .toSorted((one, other) => other.asked - one.asked),
      people: this.#people.entries
        .map(([by, { yes, no, waits }]) => ({
          ...{ by, yes, no, median_seconds: waits.median, longest_seconds: waits.longest },
        }))
        .toSorted((one, other) => other.yes + other.no - (one.yes + one.no)),
      days: this.#days.entries
        .map(([day, count]) => ({ day, ...count }))
        .toSorted((one, other) => (one.day < other.day ? -1 : 1)),
    };
  }

  #ask(event: LogEvent): void {
    const { sequence, timestamp, details } = event;
    const key = recordedDigest(event) ?? hashOf(callKey(event));
    const id = typeof details["id"] === "string" ? details["id"] : undefined;
    const before = this.#open.byKey(key);
    if (before !== undefined) {
      this.#open.add({ ...before, sequence, id });
      return;
    }
    const asked_at = Date.parse(timestamp);
    const counts = [this.#totals, this.#ruleOf(event), this.#days.of(dayOf(asked_at))];
    for (const count of counts) count.asked += 1;
    this.#open.add({ key, sequence, id, asked_at, counts });
  }

  #ruleOf(event: LogEvent): AnswerCount {
    const { tool, args = null } = event.details;
    const names = { rule: decidedBy(event), tool: typeof tool === "string" ? tool : "" };
    const count = this.#rules.of(JSON.stringify(names));
    if (count.asked === 0)
      Object.assign(count, { ...names, example: JSON.stringify(args).slice(0, EXAMPLE) });
    return count;
  }

  #answer(question: OpenQuestion | undefined, event: LogEvent, answer: "yes" | "no"): void {
    if (question === undefined) return;
    for (const count of question.counts) count[answer] += 1;
    const person = this.#people.of(String(event.details["by"]));
    person[answer] += 1;
    person.waits.add(Date.parse(event.timestamp) - question.asked_at);
    this.#open.remove(question);
  }

  #returned(id: string): void {
    const question = this.#open.byId(id);
    if (question === undefined) return;
    for (const count of question.counts) count.by_host += 1;
    this.#open.remove(question);
  }
}

// Arguments can be large, and a key is kept for each open question.
const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64");

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
