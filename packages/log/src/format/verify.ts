import { checkArgument, type JsonObject } from "@bylaw/kernel";
import { createCatalogue, type Catalogue } from "./catalogue/catalogue.ts";
import { envelopeProblems, eventTime, fieldFits, isEvent } from "./codec/envelope.ts";
import { isBlankLine, notAnObject, parseLine } from "./codec/parse-line.ts";
import { createChainOrder } from "./order/chain-order.ts";
import { createEnvelopeOrder } from "./order/envelope-order.ts";
import {
  LOG_RULES,
  type EventContent,
  type FindingSeverity,
  type OrderFinding,
  type OrderRules,
  type Violation,
} from "./order/rules.ts";

/** Something wrong with one line of a log. */
export interface LogFinding {
  /** From 1; blank lines count. */
  readonly line: number;
  /** An id of `LOG_RULES`, or of the given order rules. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** One line. It may hold text of the log: escape control characters before you print it. */
  readonly message: string;
}

/** What a log is checked against. */
export interface VerifyOptions {
  /** More order rules, such as `coordinatorOrder` of `@bylaw/plugin-coordinator`. Called once for each verifier. */
  readonly order?: () => OrderRules;
  /** Default: the coordinator's types and those of a run, lenient. */
  readonly catalogue?: Catalogue;
  /** `true`: every event must have a hash. Default: every event after one that has a hash. */
  readonly chained?: boolean;
}

/** Whether a line ends with a line break; only the last one of a log may not. */
export interface LineEnd {
  readonly terminated: boolean;
}

/** How far a log goes. */
export interface LogHead {
  /** The number of the last event; 0 for a log without one. */
  readonly sequence: number;
  /** Its link, where the log is chained. */
  readonly hash?: string;
}

/** Takes the lines of a log, in order. */
export interface LogVerifier {
  /** How many events the lines held so far. Anchors do not count. */
  readonly events: number;
  readonly head: LogHead;
  /** The number of the first event; above 1 where the lines do not start at the beginning of the log, and 0 before any event. */
  readonly first: number;
  /** Checks one line, without its line break. Never throws. */
  line(text: string, end?: LineEnd): readonly LogFinding[];
  /** A line that is not text: `why` names its bytes that are not UTF-8, or too many. */
  unreadable(why: string, end?: LineEnd): readonly LogFinding[];
  /** The next lines are those of the next file of the same log. Their numbers start at 1 again. */
  nextFile(): void;
}

/** The type of the first line of a rotated file. It is not an event: it carries the number and link of the event before it. */
export const ANCHOR_TYPE = "log_anchor";

const TERMINATED: LineEnd = { terminated: true };
const NONE: readonly LogFinding[] = [];

/** Checks a log line by line. The same lines always give the same findings. Memory is constant, apart from the given order rules. */
export function createLogVerifier(options: VerifyOptions = {}): LogVerifier {
  const {
    catalogue = createCatalogue(),
    chained = false,
    order,
  } = checkArgument("createLogVerifier", "options", options);
  const envelope = createEnvelopeOrder();
  const chain = createChainOrder({ required: chained });
  const more = order?.();
  let line = 0;
  let events = 0;
  let first = 0;

  function finding(broken: Violation | OrderFinding): LogFinding {
    if ("severity" in broken) return { line, ...broken };
    const { rule, message } = broken;
    const strict = rule === "UNKNOWN_EVENT_TYPE" && catalogue.mode === "strict";
    return { line, rule, severity: strict ? "error" : LOG_RULES[rule], message };
  }

  function judge(record: JsonObject, text: string): readonly (Violation | OrderFinding)[] {
    const whole = isEvent(record);
    if (record["event_type"] === ANCHOR_TYPE)
      return [...(whole ? [] : envelopeProblems(record)), ...carriedOver(record)];
    events += 1;
    const found: (Violation | OrderFinding)[] = whole ? [] : [...envelopeProblems(record)];
    const typed = whole || (fieldFits(record, "event_type") && fieldFits(record, "details"));
    const event = record as unknown as EventContent;
    if (typed) {
      const problem = catalogue.check(event.event_type, event.details);
      if (problem !== undefined) {
        found.push({
          rule: problem.kind === "type" ? "UNKNOWN_EVENT_TYPE" : "INVALID_DETAILS",
          message: problem.message,
        });
      }
    }
    for (const broken of envelope.next(record, whole)) found.push(broken);
    if (first === 0) first = envelope.sequence;
    const unlinked = chain.next({ record, text, whole });
    if (unlinked !== undefined) found.push(unlinked);
    // A bad field that the order rules do not read must not hide their findings.
    if (
      more !== undefined &&
      (whole || (typed && fieldFits(record, "agent_id") && fieldFits(record, "task_id")))
    ) {
      const broken = more.next(event, eventTime(record));
      if (broken !== undefined) found.push(broken);
    }
    return found;
  }

  function carriedOver(record: JsonObject): readonly Violation[] {
    const begins = envelope.sequence === 0;
    if (!fieldFits(record, "sequence")) return [];
    const moved = envelope.anchor(record["sequence"] as number);
    if (first === 0) first = envelope.sequence + 1;
    const unlinked = chain.anchor(record, { first: begins });
    const broken = moved ?? unlinked;
    return broken === undefined ? [] : [broken];
  }

  function bad(fault: string, text = ""): Violation {
    envelope.unread();
    chain.unread(text);
    return { rule: "INVALID_JSON", message: notAnObject(fault) };
  }

  function unread(why: string): Violation {
    envelope.unread();
    chain.unread("");
    return { rule: "INVALID_JSON", message: `The line cannot be read: ${why}.` };
  }

  function leftover(): Violation {
    const message =
      "This line was cut off. It is not part of the log, whose chain continues after it.";
    return { rule: "TORN_LINE", message };
  }

  function torn(what: string): Violation {
    return { rule: "TORN_LAST_LINE", message: `The last line has no line break: ${what}.` };
  }

  return {
    get events() {
      return events;
    },
    get first() {
      return first;
    },
    get head() {
      const { sequence } = envelope;
      return chain.head === undefined ? { sequence } : { sequence, hash: chain.head };
    },
    line(text, { terminated } = TERMINATED) {
      line += 1;
      if (isBlankLine(text)) return NONE;
      const parsed = parseLine(text);
      if ("record" in parsed) {
        const found = judge(parsed.record, text);
        if (terminated) return found.length === 0 ? NONE : found.map(finding);
        return [
          torn("its event is whole, but its writer may have stopped before the event was durable"),
          ...found,
        ].map(finding);
      }
      if (terminated)
        return [
          finding(
            parsed.cut && chain.sure && beginsAsEvent(text) ? leftover() : bad(parsed.fault, text),
          ),
        ];
      const cut = torn("it was cut off, and is not part of the log");
      return parsed.cut ? [finding(cut)] : [finding(cut), finding(bad(parsed.fault, text))];
    },
    unreadable(why, { terminated } = TERMINATED) {
      line += 1;
      // A line can be cut in the middle of a character.
      return [finding(terminated ? unread(why) : torn(`it cannot be read (${why})`))];
    },
    nextFile() {
      line = 0;
    },
  };
}

// A killed writer, or a disk that lost power, leaves the start of a line, perhaps followed by zeros.
function beginsAsEvent(text: string): boolean {
  const begun = text.replace(/\0+$/, "").slice(0, BEGINNING.length);
  return BEGINNING.startsWith(begun);
}

const BEGINNING = '{"timestamp":"';
