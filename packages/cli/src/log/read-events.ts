import { parseEventLine, ANCHOR_TYPE } from "@bylaw/log";
import { messageOf, type LogEvent } from "@bylaw/kernel";
import { count, place, plain } from "../io/text.ts";
import type { LogLine } from "./log-line.ts";

/** Reads the events of a log and counts the other lines. */
export interface EventReader {
  /** The events on these lines, in order, without anchors and blank lines. */
  read(lines: readonly LogLine[]): readonly LogEvent[];
  /** The number of lines that were not events. */
  readonly bad: number;
  /** Prints a warning on standard error if some lines were not events. */
  report(): void;
}

/** Creates a lenient reader: it counts lines that are not events and continues after them. */
export function createEventReader(): EventReader {
  let bad = 0;
  let first = "";

  return {
    get bad() {
      return bad;
    },
    read(lines) {
      const events: LogEvent[] = [];
      for (const line of lines) {
        if (line.fault === undefined && /^[ \t\r]*$/.test(line.text)) continue;
        const event = eventOn(line);
        if (typeof event === "string") {
          if (bad === 0) first = `${place({ file: line.file, line: line.line })}: ${plain(event)}`;
          bad += 1;
        } else if (event.event_type !== ANCHOR_TYPE) events.push(event);
      }
      return events;
    },
    report() {
      if (bad > 0)
        process.stderr.write(
          `warning: skipped ${count(bad, "line")} that could not be read as an event, the first at ${first}\n`,
        );
    },
  };
}

/** Reads the event on a line. Returns the reason as text if there is none. */
export function eventOn({ text, fault }: Pick<LogLine, "text" | "fault">): LogEvent | string {
  if (fault !== undefined) return fault;
  try {
    return parseEventLine(text);
  } catch (error) {
    return messageOf(error);
  }
}
