import { usageError } from "./report-error.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Converts a span such as `30m` to milliseconds. Undefined if the text is not a span. */
export function spanOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return amount === undefined || unit === undefined
    ? undefined
    : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/**
 * The time that is one span from now, as RFC 3339. Throws BYLAW_USAGE_INVALID if the text is not a span, or if it is zero or more
 * than a year.
 */
export function endOf(text: string, now: number): string {
  const span = spanOf(text);
  if (span !== undefined && span > 0 && span <= 366 * UNITS.d)
    return new Date(now + span).toISOString();
  throw usageError(`\`--for\` takes a span like 30m, 2h or 7d, at most a year, not \`${text}\``);
}
