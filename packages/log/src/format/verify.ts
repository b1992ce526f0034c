import { checkArgument, type JsonObject } from "@bylaw/kernel";
import { createCatalogue, type Catalogue } from "./catalogue/catalogue.ts";
import { envelopeProblems, eventTime, fieldFits, isEvent } from "./codec/envelope.ts";
import { isBlankLine, notAnObject, parseLine, type LineFault } from "./codec/parse-line.ts";
import { ChainOrder } from "./order/chain-order.ts";
import { EnvelopeOrder } from "./order/envelope-order.ts";
import {
  LOG_RULES,
  type EventContent,
  type FindingSeverity,
  type OrderFinding,
  type OrderRules,
  type Violation,
} from "./order/rules.ts";

/** A problem on one line of a log. */
export interface LogFinding {
  /** The line number, from 1, counting blank lines. */
  readonly line: number;
  /** An id of `LOG_RULES` or of the given order rules. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** One line. It may contain text of the log, so escape control characters before you print it. */
  readonly message: string;
}

/** Options of a log verifier. */
export interface VerifyOptions {
  /** Creates more order rules, such as `coordinatorOrder` of `@bylaw/plugin-coordinator`. Called once for each verifier. */
  readonly order?: () => OrderRules;
  /** The known event types. Default: those of the coordinator and of a run, lenient. */
  readonly catalogue?: Catalogue;
  /** `true`: every event must have a hash. Default: every event after the first that has one. */
  readonly chained?: boolean;
}

/** Whether a line ends with a line break. Only the last line of a log may lack it. */
export interface LineEnd {
  readonly terminated: boolean;
}

/** The end of a log. */
export interface LogHead {
  /** The sequence of the last event; 0 for a log without events. */
  readonly sequence: number;
  /** The hash of the last event, if the log is chained. */
  readonly hash?: string;
}

/**
 * The type of the first line of a rotated file. The line is not an event: it repeats the sequence and hash of the last event of the file
 * before.
 */
export const ANCHOR_TYPE = "log_anchor";

const TERMINATED: LineEnd = { terminated: true };

/**
 * Creates a verifier that checks a log line by line. The same lines always give the same findings. Memory is constant, apart from the given
 * order rules.
 */
export const createLogVerifier = (options: VerifyOptions = {}): LogVerifier =>
  new LogVerifier(checkArgument("createLogVerifier", "options", options));

/** Checks the lines of one log, in order. */
export class LogVerifier {
  readonly #catalogue: Catalogue;
  readonly #envelope = new EnvelopeOrder();
  readonly #chain: ChainOrder;
  readonly #more: OrderRules | undefined;
  #line = 0;
  #events = 0;
  #first = 0;

  constructor({ catalogue = createCatalogue(), chained = false, order }: VerifyOptions) {
    this.#catalogue = catalogue;
    this.#chain = new ChainOrder({ required: chained });
    this.#more = order?.();
  }

  /** The number of events so far. Anchors do not count. */
  get events(): number {
    return this.#events;
  }

  /** The sequence of the first event. Above 1 if the lines start in the middle of a log; 0 before any event. */
  get first(): number {
    return this.#first;
  }

  get head(): LogHead {
    const { sequence } = this.#envelope;
    const { head: hash } = this.#chain;
    return hash === undefined ? { sequence } : { sequence, hash };
  }

  /** Checks one line, without its line break. Never throws. */
  line(text: string, { terminated } = TERMINATED): readonly LogFinding[] {
    this.#line += 1;
    if (isBlankLine(text)) return [];
    const parsed = parseLine(text);
    return (
      "record" in parsed
        ? this.#recordOn(parsed.record, text, terminated)
        : this.#faultOn(parsed, text, terminated)
    ).map((broken) => this.#finding(broken));
  }

  /** Records a line that cannot be read as text. `why`: the reason, such as bytes that are not UTF-8. */
  unreadable(why: string, { terminated } = TERMINATED): readonly LogFinding[] {
    this.#line += 1;
    // A line may be cut off in the middle of a character.
    const broken = terminated
      ? this.#bad(`The line cannot be read: ${why}.`)
      : torn(`it cannot be read (${why})`);
    return [this.#finding(broken)];
  }

  /** Starts the next file of the same log. Line numbers start at 1 again. */
  nextFile(): void {
    this.#line = 0;
  }

  #finding(broken: Violation | OrderFinding): LogFinding {
    const line = this.#line;
    if ("severity" in broken) return { line, ...broken };
    const { rule, message } = broken;
    const strict = rule === "UNKNOWN_EVENT_TYPE" && this.#catalogue.mode === "strict";
    return { line, rule, severity: strict ? "error" : LOG_RULES[rule].severity, message };
  }

  #recordOn(
    record: JsonObject,
    text: string,
    terminated: boolean,
  ): readonly (Violation | OrderFinding)[] {
    const found = this.#judge(record, text);
    if (terminated) return found;
    const open = "its event is whole, but its writer may have stopped before the event was durable";
    return [torn(open), ...found];
  }

  #faultOn({ fault, cut }: LineFault, text: string, terminated: boolean): readonly Violation[] {
    if (terminated)
      return [
        cut && this.#chain.sure && beginsAsEvent(text)
          ? LEFTOVER
          : this.#bad(notAnObject(fault), text),
      ];
    const part = torn("it was cut off, and is not part of the log");
    return cut ? [part] : [part, this.#bad(notAnObject(fault), text)];
  }

  #judge(record: JsonObject, text: string): readonly (Violation | OrderFinding)[] {
    const whole = isEvent(record);
    const found: (Violation | OrderFinding)[] = whole ? [] : [...envelopeProblems(record)];
    if (record["event_type"] === ANCHOR_TYPE) return [...found, ...this.#carriedOver(record)];
    this.#events += 1;
    const typed = whole || (fieldFits(record, "event_type") && fieldFits(record, "details"));
    const event = record as unknown as EventContent;
    const problem = typed ? this.#catalogue.check(event.event_type, event.details) : undefined;
    if (problem !== undefined) {
      const rule = problem.kind === "type" ? "UNKNOWN_EVENT_TYPE" : "INVALID_DETAILS";
      found.push({ rule, message: problem.message });
    }
    found.push(...this.#envelope.next(record, whole));
    if (this.#first === 0) this.#first = this.#envelope.sequence;
    const unlinked = this.#chain.next({ record, text, whole });
    if (unlinked !== undefined) found.push(unlinked);
    // A bad field that the order rules do not use must not hide their findings.
    const judged =
      whole || (typed && fieldFits(record, "agent_id") && fieldFits(record, "task_id"));
    const broken = judged ? this.#more?.next(event, eventTime(record)) : undefined;
    if (broken !== undefined) found.push(broken);
    return found;
  }

  #carriedOver(record: JsonObject): readonly Violation[] {
    const begins = this.#envelope.sequence === 0;
    if (!fieldFits(record, "sequence")) return [];
    const moved = this.#envelope.anchor(record["sequence"] as number);
    if (this.#first === 0) this.#first = this.#envelope.sequence + 1;
    const broken = this.#chain.anchor(record, { first: begins });
    return [moved ?? broken].filter((one) => one !== undefined);
  }

  #bad(message: string, text = ""): Violation {
    this.#envelope.unread();
    this.#chain.unread(text);
    return { rule: "INVALID_JSON", message };
  }
}

const torn = (what: string): Violation => ({
  rule: "TORN_LAST_LINE",
  message: `The last line has no line break: ${what}.`,
});

const LEFTOVER: Violation = {
  rule: "TORN_LINE",
  message: "This line was cut off. It is not part of the log, whose chain continues after it.",
};

// A killed writer or a power loss leaves the start of a line, perhaps followed by zeros.
function beginsAsEvent(text: string): boolean {
  const begun = text.replace(/\0+$/, "").slice(0, BEGINNING.length);
  return BEGINNING.startsWith(begun);
}

const BEGINNING = '{"timestamp":"';
