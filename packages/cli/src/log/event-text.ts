import { isJsonObject, type Json, type LogEvent } from "@bylaw/kernel";
import { plain, short, type Paint } from "../io/text.ts";

/** What is shown of an event in one line, and how wide each part is at least. */
const COLUMNS = [
  ["SEQUENCE", 8],
  ["TIME", 24],
  ["TYPE", 24],
  ["AGENT", 12],
  ["TASK", 12],
  ["DETAILS", 0],
] as const;

const RUN_COLUMN = ["RUN", 16] as const;

/** Most characters of the details where the width of a terminal does not say. */
const DETAILS = 160;

/** The names of the columns. */
export const headText = (paint: Paint, several = false): string =>
  paint(
    "bold",
    [...(several ? [RUN_COLUMN] : []), ...COLUMNS]
      .map(([name, width]) => name.padEnd(width))
      .join(" ")
      .trimEnd(),
  );

export interface EventTextOptions {
  /** Of the terminal, in characters. */
  readonly width?: number | undefined;
  /** Named before the event, where there are several. */
  readonly run?: string | undefined;
}

/** An event in one line that no terminal acts on. */
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

// The decision first, then the tool: they are what one looks for, and long arguments would push them out of the line.
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

// Cut first, so that a long text is not made plain as a whole; cut again, as what is made plain is longer.
function cut(text: string, room: number): string {
  const safe = plain(text.slice(0, room + 1));
  return safe.length > room ? `${safe.slice(0, room - 1)}…` : safe;
}
