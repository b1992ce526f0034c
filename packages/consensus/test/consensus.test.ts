import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { agentTurns } from "@bylaw/log";
import { describe, expect, it } from "vitest";
import {
  agentByName,
  aliasOf,
  consensusState,
  defersVoting,
  isTimeOver,
  labelOf,
  unseenAnswers,
  type Consensus,
} from "../src/index.ts";

type Step = readonly [event_type: string, agent_id: string | null, details: JsonObject];

const fold = (...steps: readonly Step[]): Consensus =>
  steps.reduce(
    (state, [event_type, agent_id, details], at) =>
      consensusState.reduce(state, {
        ...{ timestamp: "2026-01-31T12:00:00.000Z", sequence: at + 1, session_id: "s" },
        ...{ event_type, agent_id, task_id: null, details },
      } satisfies LogEvent),
    consensusState.initial,
  );
const opened: Step = ["consensus_opened", null, { agents: ["c", "a", "b"], defer_voting: true }];
const answer = (agent: string, revision = 1): Step => [
  "answer_accepted",
  agent,
  { label: `${agent}.${revision}`, revision, sha256: "" },
];

describe("names", () => {
  const state = fold(opened);

  it("are numbered in the order of the ids, and can be resolved to them", () => {
    expect(["a", "b", "c"].map((id) => aliasOf(state, id))).toEqual(["agent1", "agent2", "agent3"]);
    expect(
      ["agent3", "b", "agent4", "agent0", "d"].map((name) => agentByName(state, name)),
    ).toEqual(["c", "b", undefined, undefined, undefined]);
    expect(labelOf(state, "c", 2)).toBe("agent3.2");
  });

  it("of agents outside the vote stay as they are", () => {
    expect(aliasOf(state, "stranger")).toBeUndefined();
    expect(labelOf(state, "stranger", 1)).toBe("stranger.1");
  });
});

it("unseen answers are the current answers of others that an agent was not shown", () => {
  const shown: Step = ["answers_shown", "b", { answers: [{ agent: "a", revision: 1 }] }];
  const unseen = (...steps: readonly Step[]): readonly string[] =>
    unseenAnswers(fold(opened, ...steps), "b").map(({ label }) => label);
  expect(unseen(answer("a"), answer("b"))).toEqual(["a.1"]);
  expect(unseen(answer("a"), shown)).toEqual([]);
  expect(unseen(answer("a"), shown, answer("a", 2))).toEqual(["a.2"]);
});

describe("voting", () => {
  it("waits for every agent that may still answer", () => {
    const waits = (...steps: readonly Step[]): boolean =>
      defersVoting(fold(opened, ...steps), agentTurns.initial);
    expect(waits(answer("a"), answer("b"))).toBe(true);
    expect(waits(answer("a"), answer("b"), answer("c"))).toBe(false);
  });

  it("begins anew with every answer", () => {
    const vote: Step = ["vote_accepted", "a", { voted_for: "b", label: "b.1", revision: 1 }];
    expect(Object.keys(fold(opened, answer("b"), vote).votes)).toEqual(["a"]);
    expect(fold(opened, answer("b"), vote, answer("c")).votes).toEqual({});
  });
});

it("a round is over after its grace period, and only that round", () => {
  const state = fold(opened, ["time_warning", "a", { round: 2, grace_ms: 1_000 }]);
  const over = (round: number, at?: string): boolean => isTimeOver(state, "a", round, at);
  expect(over(2, "2026-01-31T12:00:00.999Z")).toBe(false);
  expect(over(2, "2026-01-31T12:00:01.000Z")).toBe(true);
  expect([over(1, "2026-01-31T12:00:01.000Z"), over(2)]).toEqual([false, false]);
});
