import type { JsonObject } from "@bylaw/kernel";
import { createCatalogue, type Catalogue } from "./catalogue/catalogue.ts";
import { envelopeProblems, fieldFits, timeOf } from "./codec/envelope.ts";
import { isBlankLine, parseLine } from "./codec/parse-line.ts";
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
}

/** Whether a line ends with a line break; only the last one of a log may not. */
export interface LineEnd {
  readonly terminated: boolean;
}

/** Takes the lines of one log, in order. */
export interface LogVerifier {
  /** How many records the lines held so far. */
  readonly events: number;
  /** One line without its line break, and what is wrong with it. Never throws. */
  line(text: string, end?: LineEnd): readonly LogFinding[];
  /** A line that is no text. `why` completes "Unexpected …": its bytes are not UTF-8, or too many. */
  unreadable(why: string, end?: LineEnd): readonly LogFinding[];
}

const TERMINATED: LineEnd = { terminated: true };
const NONE: readonly LogFinding[] = [];

/**
 * Checks a log line by line against the rules of order. It does no reading of its own, and the same lines give the same
 * findings. Memory: constant, and with the profile `coordinator` a record per task, open question and delegation.
 */
export function createLogVerifier({ profile = "envelope", catalogue = createCatalogue() }: VerifyOptions = {}): LogVerifier {
  const envelope = createEnvelopeOrder();
  const coordinator = profile === "coordinator" ? createCoordinatorOrder() : undefined;
  let line = 0;
  let events = 0;

  function finding({ rule, message }: Broken): LogFinding {
    const strict = rule === "UNKNOWN_EVENT_TYPE" && catalogue.mode === "strict";
    return { line, rule, severity: strict ? "error" : LOG_RULES[rule].severity, message };
  }

  function judge(record: JsonObject): readonly Broken[] {
    const found: Broken[] = [...envelopeProblems(record)];
    const typed = fieldFits(record, "event_type") && fieldFits(record, "details");
    const event = record as unknown as Happening;
    if (typed) {
      const problem = catalogue.check(event.event_type, event.details);
      if (problem !== undefined) {
        found.push({ rule: problem.kind === "type" ? "UNKNOWN_EVENT_TYPE" : "INVALID_DETAILS", message: problem.message });
      }
    }
    const at = timeOf(record);
    found.push(...envelope.next(record, at));
    // A field that the life cycle does not ask about costs no finding of it.
    if (coordinator !== undefined && typed && fieldFits(record, "agent_id") && fieldFits(record, "task_id")) {
      const broken = coordinator.next(event, at);
      if (broken !== undefined) found.push(broken);
    }
    return found;
  }

  function bad(fault: string): Broken {
    envelope.unread();
    return { rule: "INVALID_JSON", message: `Unexpected ${fault}, expected one JSON object on the line` };
  }

  function torn(what: string): Broken {
    return { rule: "TORN_LAST_LINE", message: `Unexpected last line without a line break, ${what}` };
  }

  return {
    get events() {
      return events;
    },
    line(text, { terminated } = TERMINATED) {
      line += 1;
      if (isBlankLine(text)) return NONE;
      const parsed = parseLine(text);
      if ("record" in parsed) {
        events += 1;
        const found = judge(parsed.record);
        if (terminated) return found.length === 0 ? NONE : found.map(finding);
        return [torn("expected one: its event is whole, and the writer may have been stopped before it was sure"), ...found].map(finding);
      }
      if (terminated) return [finding(bad(parsed.fault))];
      const cut = torn("expected a whole event: it was cut off, and is no part of the log");
      return parsed.cut ? [finding(cut)] : [finding(cut), finding(bad(parsed.fault))];
    },
    unreadable(why, { terminated } = TERMINATED) {
      line += 1;
      // Text is cut in the middle of a character as often as anywhere else.
      return [finding(terminated ? bad(why) : torn(`expected a whole event: ${why}`))];
    },
  };
}
