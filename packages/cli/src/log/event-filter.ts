import { isJsonObject, type LogEvent } from "@bylaw/kernel";
import { spanOf } from "../io/time-span.ts";
import { usageError } from "../io/report-error.ts";

/** The filters of `bylaw log query`. The values of one option are alternatives; all options must match. */
export interface FilterOptions {
  readonly session?: readonly string[];
  readonly agent?: readonly string[];
  readonly task?: readonly string[];
  readonly type?: readonly string[];
  readonly reason?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/** Creates a filter for events. Throws BYLAW_USAGE_INVALID if a time cannot be read. `now`: milliseconds since 1970. */
export function eventFilter(options: FilterOptions, now: number): (event: LogEvent) => boolean {
  const { session, agent, task, type, reason } = options;
  const since = options.since === undefined ? -Infinity : instant("--since", options.since, now);
  const until = options.until === undefined ? Infinity : instant("--until", options.until, now);
  const tests: ((event: LogEvent) => boolean)[] = [];
  const named = (
    patterns: readonly string[] | undefined,
    values: (event: LogEvent) => readonly (string | null)[],
  ): void => {
    if (patterns === undefined) return;
    const matches = matcher(patterns);
    tests.push((event) => values(event).some((value) => value !== null && matches(value)));
  };
  named(session, ({ session_id }) => [session_id]);
  named(agent, ({ agent_id }) => [agent_id]);
  named(task, ({ task_id }) => [task_id]);
  named(type, ({ event_type }) => [event_type]);
  named(reason, reasonsOf);
  if (since !== -Infinity || until !== Infinity) {
    tests.push(({ timestamp }) => {
      const at = Date.parse(timestamp);
      return at >= since && at < until;
    });
  }
  return (event) => tests.every((holds) => holds(event));
}

// A pattern is a name, or the beginning of one and a star. Nothing else is special, because names of agents may contain any character.
function matcher(patterns: readonly string[]): (value: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith("*"))
    .map((pattern) => pattern.slice(0, -1));
  return (value) => exact.has(value) || beginnings.some((beginning) => value.startsWith(beginning));
}

/** The codes of an event: those of a decision, or the reason of an enforcement. */
function reasonsOf({ details }: LogEvent): readonly string[] {
  const { decision, reason } = details;
  const code = isJsonObject(decision ?? null)
    ? (decision as { readonly code?: unknown }).code
    : undefined;
  return [code, reason].filter((value): value is string => typeof value === "string");
}

/** How many days ago each of these days was. */
const DAYS = { today: 0, yesterday: 1 } as const;

// In local time. Subtracting 24 hours would be wrong, because a day may have 23 or 25.
function dayStart(now: number, back: number): number {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - back);
  return day.getTime();
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

function instant(flag: string, text: string, now: number): number {
  const span = spanOf(text);
  if (span !== undefined) return now - span;
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  if (Object.hasOwn(DAYS, text)) return dayStart(now, DAYS[text as keyof typeof DAYS]);
  throw usageError(
    `\`${flag}\` takes a time like 2026-01-17T09:00:00Z or a span before now like 30m, 2h or 7d, \`today\` or \`yesterday\`, not \`${text}\``,
    "Give the time with its zone, or the span in s, m, h, d or w",
  );
}
