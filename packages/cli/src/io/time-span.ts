import { usageError } from "./report-error.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A span such as `30m` in milliseconds; nothing for a text that is none. */
export function spanOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return amount === undefined || unit === undefined
    ? undefined
    : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** The end of a span from now on, RFC 3339. Throws BYLAW_USAGE_INVALID for a text that is none, for nothing, and for more than a year. */
export function endOf(text: string, now: number): string {
  const span = spanOf(text);
  if (span !== undefined && span > 0 && span <= 366 * UNITS.d)
    return new Date(now + span).toISOString();
  throw usageError(`\`--for\` takes a span like 30m, 2h or 7d, at most a year, not \`${text}\``);
}
