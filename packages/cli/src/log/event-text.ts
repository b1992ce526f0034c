import { isJsonObject, type Json, type LogEvent } from "@bylaw/kernel";
import { plain, short, type Paint } from "../io/text.ts";

/** The columns of an event in one line, with their least widths. */
const COLUMNS = [
  ["SEQUENCE", 8],
  ["TIME", 24],
  ["TYPE", 24],
  ["AGENT", 12],
  ["TASK", 12],
  ["DETAILS", 0],
] as const;

const RUN_COLUMN = ["RUN", 16] as const;

/** The most characters of the details if the width of the terminal is unknown. */
const DETAILS = 160;

/** The head of the table. */
export const headText = (paint: Paint, several = false): string =>
  paint(
    "bold",
    [...(several ? [RUN_COLUMN] : []), ...COLUMNS]
      .map(([name, width]) => name.padEnd(width))
      .join(" ")
      .trimEnd(),
  );

export interface EventTextOptions {
  /** The width of the terminal, in characters. */
  readonly width?: number | undefined;
  /** The run to print before the event, if there are several. */
  readonly run?: string | undefined;
}

/** Prints an event in one line without characters that a terminal acts on. */
export function eventText(
  { sequence, timestamp, event_type, agent_id, task_id, details }: LogEvent,
  paint: Paint,
  { width, run }: EventTextOptions = {},
): string {
  const cells = [String(sequence), timestamp, event_type, agent_id ?? "-", task_id ?? "-"];
  const [, runWidth] = RUN_COLUMN;
  const first = run === undefined ? [] : [short(run, 64).padEnd(runWidth)];
  const row = [
    ...first,
    ...cells.map((cell, index) => short(cell, 64).padEnd(COLUMNS[index]?.[1] ?? 0)),
  ].join(" ");
  const room = width === undefined ? DETAILS : Math.max(20, width - row.length - 1);
  const styled = STYLES.reduce(
    (text, [style, type]) => (type.test(event_type) ? paint(style, text) : text),
    row,
  );
  return `${styled} ${cut(detailsText(details), room)}`.trimEnd();
}

const STYLES = [
  ["red", /(?:_fail|_failed|_denied|_blocked|_rejected|^enforcement)$/],
  ["yellow", /_asked$/],
] as const;

// The decision and the tool come first, because long arguments could push them out of the line.
function detailsText({ decision, tool, ...rest }: LogEvent["details"]): string {
  const verdict = decisionText(decision);
  const others = Object.entries(tool === undefined ? rest : { tool, ...rest }).map(
    ([key, value]) => `${key}=${typeof value === "string" ? quoted(value) : JSON.stringify(value)}`,
  );
  return [...(verdict === undefined ? [] : [verdict]), ...others].join(" ");
}

function decisionText(decision: Json | undefined): string | undefined {
  if (decision === undefined || !isJsonObject(decision)) return undefined;
  const { effect, code, rule } = decision;
  const name =
    rule !== undefined && isJsonObject(rule) && typeof rule["name"] === "string"
      ? `[${rule["name"]}]`
      : undefined;
  return [effect, code, name].filter((part) => typeof part === "string").join(" ");
}

const quoted = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text));

// Cut twice: first to avoid cleaning a long text whole, then because cleaning makes the text longer.
function cut(text: string, room: number): string {
  const safe = plain(text.slice(0, room + 1));
  return safe.length > room ? `${safe.slice(0, room - 1)}…` : safe;
}
