import { expect, it } from "vitest";
import { timeOf } from "../src/time-of.ts";

it("reads a time as often as it is asked for, and between others", () => {
  const [one, other] = ["2026-01-02T10:00:00.000Z", "2026-01-02T11:00:00+01:00"];
  for (const text of [one, one, other, one, other, other]) expect(timeOf(text)).toBe(Date.UTC(2026, 0, 2, 10));
  for (const text of ["", "tomorrow", "", one]) expect(timeOf(text)).toBe(Date.parse(text));
});
