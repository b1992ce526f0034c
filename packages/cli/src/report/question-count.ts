import type { LogEvent } from "@bylaw/kernel";
import { asksPerson, OpenQuestions } from "@bylaw/log";
import { BoundedNames } from "./bounded-names.ts";
import { decidedBy } from "./decision-of.ts";
import { WaitTimes } from "./wait-times.ts";

/** How questions were answered. The others were not. */
export interface AnswerCount {
  /** A call that is asked about again before an answer counts once. */
  asked: number;
  yes: number;
  no: number;
  /** Nobody answered in Bylaw, but the call returned: its host had asked, or had let it run. */
  by_host: number;
  /** A rule offered other arguments, and the call ran with them. */
  by_rule: number;
}

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

interface Waiting {
  /** Milliseconds since 1970. */
  readonly asked_at: number;
  /** The counts that an answer changes. */
  readonly counts: readonly AnswerCount[];
}

const noAnswers = (): AnswerCount => ({ asked: 0, yes: 0, no: 0, by_host: 0, by_rule: 0 });
const EXAMPLE = 200;

/** Counts the questions about calls and their answers. Memory grows with the number of different names, not of events. */
export class QuestionCounter {
  readonly #totals = noAnswers();
  readonly #rules = new BoundedNames(() => ({
    ...{ ...noAnswers(), rule: "(others)", tool: "(others)", example: "" },
  }));
  readonly #people = new BoundedNames(() => ({ yes: 0, no: 0, waits: new WaitTimes() }));
  readonly #days = new BoundedNames(noAnswers);
  #open = new OpenQuestions<Waiting>();

  /** A question is only answered in its own run. */
  begin(): void {
    this.#open = new OpenQuestions<Waiting>();
  }

  add(event: LogEvent): void {
    const { event_type } = event;
    if (asksPerson(event)) this.#open.ask(event, () => this.#asked(event));
    else if (event_type === "approval_granted") this.#answer(event, "yes");
    else if (event_type === "approval_refused") this.#answer(event, "no");
    else if (event_type === "tool_result")
      for (const count of this.#open.answered(event)?.counts ?? []) count.by_host += 1;
  }

  /** Counts the question of an event whose call ran with other arguments. */
  changed(sequence: number): void {
    for (const count of this.#open.settled(sequence)?.counts ?? []) count.by_rule += 1;
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

  #asked(event: LogEvent): Waiting {
    const asked_at = Date.parse(event.timestamp);
    const counts = [this.#totals, this.#ruleOf(event), this.#days.of(dayOf(asked_at))];
    for (const count of counts) count.asked += 1;
    return { asked_at, counts };
  }

  #ruleOf(event: LogEvent): AnswerCount {
    const { tool, args = null } = event.details;
    const names = { rule: decidedBy(event), tool: typeof tool === "string" ? tool : "" };
    const count = this.#rules.of(JSON.stringify(names));
    if (count.asked === 0)
      Object.assign(count, { ...names, example: JSON.stringify(args).slice(0, EXAMPLE) });
    return count;
  }

  #answer(event: LogEvent, answer: "yes" | "no"): void {
    const question = this.#open.answered(event);
    if (question === undefined) return;
    for (const count of question.counts) count[answer] += 1;
    const person = this.#people.of(String(event.details["by"]));
    person[answer] += 1;
    person.waits.add(Date.parse(event.timestamp) - question.asked_at);
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
