import { parseEventLine, ANCHOR_TYPE } from "@bylaw/log";
import { messageOf, type LogEvent } from "@bylaw/kernel";
import { count, place, plain } from "../io/text.ts";
import type { LogLine } from "./log-line.ts";

/** The events of a log, and what stood there beside them. */
export interface EventReader {
  /** The events of these lines, in order; anchors and blank lines are left out. */
  read(lines: readonly LogLine[]): readonly LogEvent[];
  /** How many lines were no event. */
  readonly bad: number;
  /** Says on the error stream that some lines were no event, where some were. */
  report(): void;
}

/** Reads events leniently: a line that is none is counted, and the events behind it are read. */
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

/** The event on a line, or why there is none. */
export function eventOn({ text, fault }: Pick<LogLine, "text" | "fault">): LogEvent | string {
  if (fault !== undefined) return fault;
  try {
    return parseEventLine(text);
  } catch (error) {
    return messageOf(error);
  }
}
