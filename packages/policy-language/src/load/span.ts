/** The largest `times`, because the state of a run keeps that many entries of a mark. */
export const MAX_TIMES = 100;

/** A time span: a number of seconds, minutes, hours or days. */
export const SPAN = /^[1-9]\d{0,5}[smhd]$/;

const MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Converts a span to milliseconds. */
export const msOf = (span: string): number =>
  Number(span.slice(0, -1)) * MS[span.slice(-1) as keyof typeof MS];
