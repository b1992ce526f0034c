import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_REFUSED_STOPS, countRefusedStop } from "../src/index.ts";
import { expect, onTestFinished, test } from "vitest";

const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-stop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "new");
};

test("a session may stop after the cap, and its count begins anew", () => {
  const folder = scratch();
  const rounds = Array.from({ length: MAX_REFUSED_STOPS + 1 }, (_, index) =>
    countRefusedStop(folder, { session: "a", again: index > 0 }),
  );
  expect(rounds).toEqual([1, 2, 3, 4, 5, 6, 7, 8, undefined]);
  expect(readdirSync(folder)).toEqual([]);
  expect(countRefusedStop(folder, { session: "a", again: false })).toBe(1);
});

test("each session has its own count, which begins anew with each turn", () => {
  const folder = scratch();
  expect(countRefusedStop(folder, { session: "../a", again: false })).toBe(1);
  expect(countRefusedStop(folder, { session: "../a", again: true })).toBe(2);
  expect(countRefusedStop(folder, { session: "b", again: true })).toBe(1);
  expect(countRefusedStop(folder, { session: "../a", again: false })).toBe(1);
  expect(readdirSync(folder)).toHaveLength(2);
});
