import type { JsonObject } from "@bylaw/kernel";
import { UNCOUNTED_REASONS, agentTurns, createMemoryStore, turnOf } from "@bylaw/log";
import { consensusState } from "@bylaw/consensus";
import { REASONS } from "@bylaw/plugin-reasons";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { answer, begin, calls, drive, says, vote, type Script } from "./host.ts";

const said = fc.oneof(
  fc.constantFrom("agent1", "agent2", "agent3", "agent4", "a", "nobody").map(vote),
  fc.constantFrom("red", "green", "blue", "red green", "", " red ").map(answer),
  fc.constantFrom("read_file", "execute_command", "default_api:vote", "stop").map(calls),
  fc.constantFrom("", "I am done", "\u{1f600}").map(says),
  fc
    .constantFrom("agent1", "agent2")
    .map((of) => ({
      tool_calls: [...(vote(of).tool_calls ?? []), ...(answer("both").tool_calls ?? [])],
    })),
);
const script: fc.Arbitrary<Script> = fc.array(said, { minLength: 1, maxLength: 6 });
const scripts = fc.record({
  a: fc.array(script, { maxLength: 3 }),
  b: fc.array(script, { maxLength: 3 }),
  c: fc.array(script, { maxLength: 3 }),
});
const terms = fc.record({
  max_answers_per_agent: fc.constantFrom(null, 1, 2),
  max_answers_global: fc.constantFrom(null, 2, 4),
  defer_voting: fc.boolean(),
  fairness: fc.constantFrom("votes" as const, "turns" as const),
});

it("whatever agents say, their turns end within their attempts and limits, with a listed reason", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, terms, async (agents, agreed) => {
      const store = createMemoryStore();
      const run = await begin(agreed, { store });
      await drive(run, agents);
      const log = await store.events("poem", 0, 100_000);
      const state = run.view(consensusState);
      const violations = new Map<string, readonly JsonObject[]>();
      for (const { event_type, agent_id, details } of log) {
        if (event_type !== "enforcement") continue;
        expect(Object.keys(REASONS)).toContain(details["reason"]);
        const key = `${agent_id ?? ""} ${String(details["round"])}`;
        violations.set(key, [...(violations.get(key) ?? []), details]);
      }
      for (const given of violations.values()) {
        const counted = given.filter(({ reason }) => !UNCOUNTED_REASONS.has(reason));
        expect(counted.map(({ attempt }) => attempt)).toEqual(counted.map((_, index) => index + 1));
        expect(counted.length).toBeLessThanOrEqual(3);
        // Only the last enforcement of a round may be final.
        expect(given.slice(0, -1).filter(({ final }) => final === true)).toEqual([]);
      }
      const { max_answers_per_agent: each, max_answers_global: all } = agreed;
      if (each !== null)
        for (const { revision } of state.answers) expect(revision).toBeLessThanOrEqual(each);
      if (all !== null) expect(state.given).toBeLessThanOrEqual(all);
      // No two current answers are the same text.
      const texts = state.answers.map(({ content }) => content.trim());
      expect(new Set(texts).size).toBe(texts.length);
      for (const agent of ["a", "b", "c"]) {
        const { outcome, attempts } = turnOf(run.view(agentTurns), agent);
        if (outcome === "non_compliant") expect(attempts).toBe(3);
      }
      expect(
        Object.keys(state.pending).filter((agent) => state.pending[agent]?.terminal.kind !== "end"),
      ).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
