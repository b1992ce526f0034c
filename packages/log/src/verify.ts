import type { JsonObject } from "@bylaw/kernel";
import { createCatalogue, type Catalogue } from "./catalogue/catalogue.ts";
import { envelopeProblems, fieldFits, isEvent, timeOf } from "./codec/envelope.ts";
import { isBlankLine, parseLine } from "./codec/parse-line.ts";
import { createChainOrder } from "./order/chain-order.ts";
import { createCoordinatorOrder } from "./order/coordinator-order.ts";
import { createEnvelopeOrder } from "./order/envelope-order.ts";
import type { Happening } from "./order/event-parts.ts";
import { LOG_RULES, type Broken, type FindingSeverity, type LogProfile, type LogRuleId } from "./order/rules.ts";

/** Something wrong with one line of a log. */
export interface LogFinding {
  /** From 1; blank lines count. */
  readonly line: number;
  readonly rule: LogRuleId;
  readonly severity: FindingSeverity;
  /** One line. It holds text of the log as it stands there: make it plain before you print it. */
  readonly message: string;
}

/** What a log is held against. */
export interface VerifyOptions {
  /** Default: `envelope`. */
  readonly profile?: LogProfile;
  /** Default: the coordinator's types and those of a run, lenient. */
  readonly catalogue?: Catalogue;
  /** `true`: every event has to have a hash. Otherwise those have to that stand behind one that has. */
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

/** Takes the lines of one log, in order. */
export interface LogVerifier {
  /** How many records the lines held so far; anchors are none. */
  readonly events: number;
  readonly head: LogHead;
  /** The number that the first event of the lines has or should have: above 1 where the beginning of the log is not among them. 0 before it. */
  readonly first: number;
  /** One line without its line break, and what is wrong with it. Never throws. */
  line(text: string, end?: LineEnd): readonly LogFinding[];
  /** A line that is no text. `why` completes "Unexpected …": its bytes are not UTF-8, or too many. */
  unreadable(why: string, end?: LineEnd): readonly LogFinding[];
  /** The lines that follow are those of the next file of the same log. Their numbers begin at 1 once more. */
  nextFile(): void;
}

/** The type of the line that begins a rotated file: no event, it carries number and link of the last event before it. */
export const ANCHOR_TYPE = "log_anchor";

const TERMINATED: LineEnd = { terminated: true };
const NONE: readonly LogFinding[] = [];

/**
 * Checks a log line by line against the rules of order. It does no reading of its own, and the same lines give the same
 * findings. Memory: constant, and with the profile `coordinator` a record per task, open question and delegation.
 */
export function createLogVerifier(options: VerifyOptions = {}): LogVerifier {
  const { profile = "envelope", catalogue = createCatalogue(), chained = false } = options;
  const envelope = createEnvelopeOrder();
  const chain = createChainOrder({ required: chained });
  const coordinator = profile === "coordinator" ? createCoordinatorOrder() : undefined;
  let line = 0;
  let events = 0;
  let first = 0;

  function finding({ rule, message }: Broken): LogFinding {
    const strict = rule === "UNKNOWN_EVENT_TYPE" && catalogue.mode === "strict";
    return { line, rule, severity: strict ? "error" : LOG_RULES[rule].severity, message };
  }

  function judge(record: JsonObject, text: string): readonly Broken[] {
    const whole = isEvent(record);
    if (record["event_type"] === ANCHOR_TYPE) return [...(whole ? [] : envelopeProblems(record)), ...carriedOver(record)];
    events += 1;
    const found: Broken[] = whole ? [] : [...envelopeProblems(record)];
    const typed = whole || (fieldFits(record, "event_type") && fieldFits(record, "details"));
    const event = record as unknown as Happening;
    if (typed) {
      const problem = catalogue.check(event.event_type, event.details);
      if (problem !== undefined) {
        found.push({ rule: problem.kind === "type" ? "UNKNOWN_EVENT_TYPE" : "INVALID_DETAILS", message: problem.message });
      }
    }
    for (const broken of envelope.next(record, whole)) found.push(broken);
    if (first === 0) first = envelope.sequence;
    const unlinked = chain.next({ record, text, whole });
    if (unlinked !== undefined) found.push(unlinked);
    // A field that the life cycle does not ask about costs no finding of it.
    if (coordinator !== undefined && (whole || (typed && fieldFits(record, "agent_id") && fieldFits(record, "task_id")))) {
      const broken = coordinator.next(event, timeOf(record));
      if (broken !== undefined) found.push(broken);
    }
    return found;
  }

  function carriedOver(record: JsonObject): readonly Broken[] {
    const begins = envelope.sequence === 0;
    if (!fieldFits(record, "sequence")) return [];
    const moved = envelope.anchor(record["sequence"] as number);
    if (first === 0) first = envelope.sequence + 1;
    const unlinked = chain.anchor(record, { first: begins });
    const broken = moved ?? unlinked;
    return broken === undefined ? [] : [broken];
  }

  function bad(fault: string, text = ""): Broken {
    envelope.unread();
    chain.unread(text);
    return { rule: "INVALID_JSON", message: `Unexpected ${fault}, expected one JSON object on the line` };
  }

  // Were it more than that, the event behind it would not follow the one before it.
  function left(): Broken {
    const message = "Unexpected line that was cut off, expected a whole event: it is no part of the log, whose chain goes on behind it";
    return { rule: "TORN_LINE", message };
  }

  function torn(what: string): Broken {
    return { rule: "TORN_LAST_LINE", message: `Unexpected last line without a line break, ${what}` };
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
        return [torn("expected one: its event is whole, and the writer may have been stopped before it was sure"), ...found].map(finding);
      }
      if (terminated) return [finding(parsed.cut && chain.sure && beginsAsEvent(text) ? left() : bad(parsed.fault, text))];
      const cut = torn("expected a whole event: it was cut off, and is no part of the log");
      return parsed.cut ? [finding(cut)] : [finding(cut), finding(bad(parsed.fault, text))];
    },
    unreadable(why, { terminated } = TERMINATED) {
      line += 1;
      // Text is cut in the middle of a character as often as anywhere else.
      return [finding(terminated ? bad(why) : torn(`expected a whole event: ${why}`))];
    },
    nextFile() {
      line = 0;
    },
  };
}

// What a writer leaves that was killed, or a disk that lost power: the beginning of a line, and perhaps zeros.
function beginsAsEvent(text: string): boolean {
  const begun = text.replace(/\0+$/, "").slice(0, BEGINNING.length);
  return BEGINNING.startsWith(begun);
}

const BEGINNING = '{"timestamp":"';
