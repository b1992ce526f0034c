import { BylawError, type LogEvent } from "@bylaw/kernel";
import { ANCHOR_TYPE, createLogVerifier, type LogFinding, type LogHead } from "@bylaw/log";
import { plain } from "../io/text.ts";
import { eventOn } from "./read-events.ts";
import type { LogLine } from "./log-line.ts";
import { findingsOf } from "./verify-lines.ts";

/** Events that were verified, and the head of the log after them. */
export interface Verified {
  readonly events: readonly LogEvent[];
  readonly head: LogHead;
}

// Errors of a log and these findings: a store would number such an event differently, or could not keep it as it is.
const REFUSED = new Set<LogFinding["rule"]>(["SEQUENCE_GAP", "UNKNOWN_FIELD", "FIELD_ORDER"]);
const TORN = new Set<LogFinding["rule"]>(["TORN_LAST_LINE", "TORN_LINE"]);

/**
 * Yields the events of a whole log, from the first one on, read by read. Throws BYLAW_LOG_INVALID at the first line that does not
 * verify. It skips lines that a killed writer left incomplete: at the end of the log, or in the middle of a chained log if the next
 * event continues the chain.
 */
export async function* verifiedEvents(
  batches: AsyncIterable<readonly LogLine[]>,
): AsyncGenerator<Verified> {
  const verifier = createLogVerifier();
  let file: string | undefined;

  function eventIn(line: LogLine): LogEvent | undefined {
    const findings = findingsOf(line, verifier);
    const wrong = findings.find(({ severity, rule }) => severity === "error" || REFUSED.has(rule));
    if (wrong !== undefined) throw invalid(line, `${wrong.rule}: ${wrong.message}`);
    if (line.fault !== undefined || /^[ \t\r]*$/.test(line.text)) return undefined;
    const event = eventOn(line);
    if (typeof event === "string") {
      if (findings.some(({ rule }) => TORN.has(rule))) return undefined;
      throw invalid(line, event);
    }
    if (event.event_type === ANCHOR_TYPE) {
      // This anchor continues a file that was not given.
      if (verifier.events === 0)
        throw invalid(line, "This log continues another file. Name that file first.");
      return undefined;
    }
    return event;
  }

  for await (const lines of batches) {
    const events: LogEvent[] = [];
    for (const line of lines) {
      if (line.file !== file || line.line === 1) verifier.nextFile();
      file = line.file;
      const event = eventIn(line);
      if (event !== undefined) events.push(event);
    }
    if (events.length > 0) yield { events, head: verifier.head };
  }
}

const invalid = ({ file, line }: LogLine, message: string): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_INVALID",
    message: plain(message),
    fix: "Run `bylaw log verify` for every problem; nothing was imported",
    source: { file, line },
  });
