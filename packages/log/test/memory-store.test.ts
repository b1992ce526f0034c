import { describeStore } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { chainEvents, createMemoryStore, formatEventLine } from "../src/index.ts";

describeStore("the memory store", ({ now }) => ({ store: createMemoryStore({ now }) }), {
  describe,
  it,
});

it("the longest event gives a line that log readers accept, and no event may be longer", () => {
  const LINE = 16 * 1_048_576;
  const session_id = "6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11";
  const of = (length: number) => [
    {
      timestamp: "2026-01-02T03:04:05.000Z",
      session_id,
      event_type: "note",
      agent_id: null,
      task_id: null,
      details: { text: "x".repeat(length) },
    },
  ];
  const before = { sequence: Number.MAX_SAFE_INTEGER - 1 };
  const [longest] = chainEvents(before, of(LINE - 1_300));
  expect(longest && Buffer.byteLength(formatEventLine(longest))).toBeLessThanOrEqual(LINE);
  expect(() => chainEvents(before, of(LINE - 1_024))).toFailWith("BYLAW_COMMIT_INVALID");
});
