import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { endOf, spanOf } from "../src/io/time-span.ts";

test.each(readCases<[string, number?]>(import.meta, "spans"))(
  "%j is read as a span, or refused",
  (text, span) => {
    expect(spanOf(text)).toBe(span);
  },
);

test("the end of a span is in the future, at most a year away", () => {
  const now = Date.parse("2026-01-17T09:00:00Z");
  expect(endOf("90m", now)).toBe("2026-01-17T10:30:00.000Z");
  expect(endOf("366d", now)).toBe("2027-01-18T09:00:00.000Z");
  for (const text of ["0s", "0w", "367d", "999999999w", "soon", ""]) {
    expect(() => endOf(text, now)).toFailWith("BYLAW_USAGE_INVALID");
  }
});
