import { expect, it } from "vitest";
import { createRateLimit } from "../src/auth/rate-limit.ts";

it("admits a batch above the burst when the bucket is full, and delays later requests for it", () => {
  let at = 0;
  const limit = createRateLimit({ per_second: 1, burst: 10, clock: () => at }) ?? (() => {});
  limit("ann", 25);
  at = 15_000;
  expect(() => limit("ann")).toThrow(/1 per second/);
  limit("bob");
  at = 16_000;
  limit("ann");
  expect(() => limit("ann", 10)).toThrow();
  at = 26_000;
  limit("ann", 10);
});
