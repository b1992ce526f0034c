import type { JsonObject } from "@bylaw/kernel";
import { createMemoryStore, type Run } from "@bylaw/log";
import { consensusState } from "@bylaw/consensus";
import {
  candidates,
  recordResponse,
  isVotingDeferred,
  pendingAnswers,
  selectWinner,
  showAnswers,
  allowedTurn,
  tally,
  winningAnswer,
  workflowTools,
} from "@bylaw/plugin-consensus";
import { describe, expect, it } from "vitest";
import { answer, begin, calls, labels, says, takeTurn, turn, vote } from "./host.ts";

const WORKFLOW = { answer: ["new_answer"], vote: ["vote"] };
const toolsOf = (
  run: Run,
  agent: string,
  tools = ["read_file", "vote", "new_answer"],
): readonly string[] => workflowTools(run.view, agent, { tools, ...WORKFLOW });
const respond = async (run: Run, agent: string, said: ReturnType<typeof vote>): Promise<string> =>
  (await run.respond({ agent, ...said })).decision.code;
const drop = (run: Run, agent: string): Promise<unknown> =>
  run.record([
    { event_type: "agent_dropped", agent_id: agent, task_id: null, details: { reason: "timeout" } },
  ]);
const record = (
  run: Run,
  event_type: string,
  agent_id: string,
  details: JsonObject,
): Promise<unknown> => run.record([{ event_type, agent_id, task_id: null, details }]);
const refused = (rule: string) =>
  expect.objectContaining({
    code: "BYLAW_EVENT_REFUSED",
    fix: expect.stringContaining(rule) as string,
  }) as Error;
/** Expects that an event is refused by a rule. */
const refuses = (rule: string, ...event: Parameters<typeof record>): Promise<void> =>
  expect(record(...event)).rejects.toEqual(refused(rule));

describe("votes for what was shown", () => {
  it("MG-60 an answer that arrives in the middle of a stream can be voted for, under the label of the shown revision", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    expect((await showAnswers(run, "b")).map(({ label }) => label)).toEqual(["agent1.1"]);
    // While B is at work, C answers for the first time; the host injects the answer into the result of a tool.
    await takeTurn(run, "c", [answer("three")]);
    expect((await showAnswers(run, "b")).map(({ label }) => label)).toEqual(["agent3.1"]);
    expect(await respond(run, "b", vote("agent3"))).toBe("fallback");
    expect(await recordResponse(run, "b")).toEqual({ kind: "vote", label: "agent3.1", agent: "c" });
  });

  it("MG-61 a vote that a new answer overtook is recorded but ignored, and costs no attempt", async () => {
    const store = createMemoryStore();
    const run = await begin({}, { store });
    await takeTurn(run, "a", [answer("one")]);
    await showAnswers(run, "b");
    // The response with the vote is accepted, but another answer is recorded before the vote.
    expect(await respond(run, "b", vote("agent1"))).toBe("fallback");
    await takeTurn(run, "c", [answer("three")]);
    expect(await recordResponse(run, "b")).toEqual({
      kind: "ignored",
      reason: "agent3.1 came before it",
    });
    expect(tally(run.view)).toEqual({});
    expect(
      (await store.events("poem", 0, 1_000)).some(
        ({ event_type }) => event_type === "vote_ignored",
      ),
    ).toBe(true);
    // Without the race the response itself is refused, and the round costs nothing.
    expect(await run.respond({ agent: "b", ...vote("agent1") })).toMatchObject({
      decision: { code: "stale_revision", recovery: "restart" },
    });
    expect(turn(run, "b")).toMatchObject({ attempts: 0, free: 1, outcome: null });
    await showAnswers(run, "b");
    expect(await respond(run, "b", vote("agent1"))).toBe("fallback");
  });

  it("MG-62 a single agent votes for its own answer", async () => {
    const run = await begin({ agents: ["solo"] });
    await takeTurn(run, "solo", [answer("one")]);
    await takeTurn(run, "solo", [vote("agent1")]);
    expect(tally(run.view)).toEqual({ "agent1.1": 1 });
  });

  it("MG-63 an agent that saw revision 1 does not vote on revision 2", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    await showAnswers(run, "b");
    await takeTurn(run, "a", [answer("one, better")]);
    expect(await run.respond({ agent: "b", ...vote("agent1") })).toMatchObject({
      decision: { code: "stale_revision" },
    });
    expect(labels(run, "b")).toEqual(["agent1.2"]);
    await takeTurn(run, "b", [vote("agent1")]);
    expect(tally(run.view)).toEqual({ "agent1.2": 1 });
  });

  it("a vote is bound to agent, revision and digest: no other vote can be recorded for an accepted response", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "c", [answer("three")]);
    await showAnswers(run, "b");
    const { events } = await run.respond({ agent: "b", ...vote("agent1") });
    const sha256 = run.view(consensusState).answers[0]?.sha256 ?? "";
    const right = {
      response: events[0]?.sequence ?? 0,
      voted_for: "a",
      label: "agent1.1",
      revision: 1,
      sha256,
      reason_preview: null,
    };
    await refuses("RESPONSE_MISSING", run, "vote_accepted", "b", { ...right, voted_for: "c" });
    await refuses("RESPONSE_MISSING", run, "vote_accepted", "c", right);
    await refuses("RESPONSE_MISSING", run, "vote_accepted", "b", { ...right, response: 1 });
    await refuses("VOTE_STALE", run, "vote_accepted", "b", { ...right, revision: 2 });
    await refuses("VOTE_STALE", run, "vote_accepted", "b", {
      ...right,
      sha256: sha256.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    });
    await record(run, "vote_accepted", "b", right);
    // One response, one vote.
    await refuses("RESPONSE_MISSING", run, "vote_accepted", "b", right);
  });

  it("if the log knows an answer, the host's version of it does not count", async () => {
    const run = await begin();
    const told = { consensus: { answers: [{ agent: "a", content: "never given" }] } };
    expect(await run.respond({ agent: "b", ...vote("agent1"), host: told })).toMatchObject({
      decision: { code: "vote_no_answers" },
    });
  });

  it("a recorded answer is the accepted one", async () => {
    const run = await begin();
    const { events } = await run.respond({ agent: "a", ...answer("one") });
    const response = events[0]?.sequence ?? 0;
    const wrong = {
      response,
      label: "agent1.1",
      revision: 1,
      sha256: `sha256:${"0".repeat(64)}`,
      workspace: null,
    };
    await refuses("ANSWER_MISFIT", run, "answer_accepted", "a", wrong);
    await refuses("RESPONSE_MISSING", run, "answer_accepted", "b", wrong);
    await refuses("AGENT_UNKNOWN", run, "answer_accepted", "zed", wrong);
    await recordResponse(run, "a");
    expect(await recordResponse(run, "a")).toBeUndefined();
  });

  it("after a crash between a response and its record, the next session completes the record", async () => {
    const store = createMemoryStore();
    const run = await begin({}, { store });
    await run.respond({ agent: "a", ...answer("one") });
    const { openRun } = await import("@bylaw/log");
    const { createKernel } = await import("@bylaw/kernel");
    const { consensus } = await import("../src/index.ts");
    const again = await openRun(createKernel({ extends: [consensus] }), { run: "poem", store });
    expect(await recordResponse(again, "a")).toEqual({ kind: "answer", label: "agent1.1" });
    expect(again.view(consensusState).answers[0]?.content).toBe("one");
  });
});

describe("answers that arrive", () => {
  it("MG-64 an agent that may only vote sees a new answer before it votes, and may vote for it", async () => {
    const run = await begin({ max_answers_per_agent: 1 });
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "b", [answer("two")]);
    expect(allowedTurn(run.view, "b")).toBe("vote_only");
    expect(candidates(run.view)).toEqual(["agent1", "agent2"]);
    await takeTurn(run, "c", [answer("three")]);
    expect(await run.respond({ agent: "b", ...vote("agent3") })).toMatchObject({
      decision: { code: "stale_revision" },
    });
    expect(candidates(run.view)).toEqual(["agent1", "agent2", "agent3"]);
    await takeTurn(run, "b", [vote("agent3")]);
    expect(tally(run.view)).toEqual({ "agent3.1": 1 });
  });

  it("MG-65 with a limit of one, the newest answer is shown and the other is kept", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "c", [answer("three")]);
    expect((await showAnswers(run, "b", { at_most: 1 })).map(({ label }) => label)).toEqual([
      "agent3.1",
    ]);
    expect(labels(run, "b")).toEqual(["agent1.1"]);
  });

  it("MG-66 a revision that is published while answers are copied stays unseen", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    const copied = pendingAnswers(run.view, "b").map(({ agent, revision, sha256 }) => ({
      agent,
      revision,
      sha256,
    }));
    await takeTurn(run, "a", [answer("one, better")]);
    await record(run, "answers_shown", "b", { answers: copied });
    expect(labels(run, "b")).toEqual(["agent1.2"]);
    await refuses("ANSWER_UNKNOWN", run, "answers_shown", "b", {
      answers: [{ ...copied[0], agent: "c" }] as JsonObject[],
    });
  });

  it("MG-67 if the terms say so, an unseen answer delays the end of a turn until it was shown or the time is over", async () => {
    let at = Date.parse("2026-01-01T00:00:00.000Z");
    const run = await begin({ fairness: "turns" }, { now: () => new Date(at).toISOString() });
    await takeTurn(run, "a", [answer("one")]);
    expect(await respond(run, "b", answer("two"))).toBe("stale_revision");
    await showAnswers(run, "b");
    expect(await respond(run, "b", answer("two"))).toBe("fallback");
    expect(await respond(run, "c", vote("agent1"))).toBe("stale_revision");
    await record(run, "time_warning", "c", { round: 1, grace_ms: 120_000 });
    expect(await respond(run, "c", vote("agent1"))).toBe("stale_revision");
    at += 120_000;
    expect(await respond(run, "c", vote("agent1"))).toBe("fallback");
    expect(await recordResponse(run, "c")).toMatchObject({ kind: "vote", label: "agent1.1" });
  });

  it("MG-67 an answer that was overtaken is ignored if the terms say so", async () => {
    const run = await begin({ fairness: "turns" });
    await Promise.all([
      run.respond({ agent: "a", ...answer("one") }),
      run.respond({ agent: "b", ...answer("two") }),
    ]);
    expect(await Promise.all([recordResponse(run, "a"), recordResponse(run, "a")])).toEqual([
      { kind: "answer", label: "agent1.1" },
      undefined,
    ]);
    expect(await recordResponse(run, "b")).toEqual({
      kind: "ignored",
      reason: "agent1.1 came before it",
    });
  });

  it("an agent that is never shown what it must see does not loop forever", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    const codes = [];
    for (let times = 0; times < 3; times += 1)
      codes.push((await run.respond({ agent: "b", ...vote("agent1") })).decision.recovery);
    expect(codes).toEqual(["restart", "restart", "end"]);
    expect(turn(run, "b").outcome).toBe("non_compliant");
  });
});

describe("the end", () => {
  it("MG-68 a new answer clears every live vote, also from the results", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "b", [vote("agent1")]);
    await takeTurn(run, "c", [vote("agent1")]);
    expect(tally(run.view)).toEqual({ "agent1.1": 2 });
    await takeTurn(run, "c", [answer("three")]);
    expect(tally(run.view)).toEqual({});
  });

  it("MG-18 of two votes of one agent, only the last counts", async () => {
    const run = await begin();
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "b", [answer("two")]);
    await takeTurn(run, "c", [vote("agent2")]);
    await takeTurn(run, "c", [vote("agent1")]);
    expect(tally(run.view)).toEqual({ "agent1.1": 1 });
  });

  it("MG-69 of answers with equally many votes the first wins, and without votes the first answer", async () => {
    const run = await begin();
    expect(winningAnswer(run.view)).toBeUndefined();
    expect(await selectWinner(run)).toBeUndefined();
    await takeTurn(run, "b", [answer("two")]);
    await takeTurn(run, "a", [answer("one")]);
    expect(winningAnswer(run.view)?.agent).toBe("b");
    await takeTurn(run, "a", [vote("agent1")]);
    expect(winningAnswer(run.view)?.agent).toBe("a");
    await takeTurn(run, "b", [vote("agent2")]);
    expect(winningAnswer(run.view)?.agent).toBe("b");
    await refuses("WINNER_MISFIT", run, "winner_selected", "a", {
      agent: "a",
      label: "agent1.1",
      preview: "",
    });
    await selectWinner(run);
    await run.respond({ agent: "c", ...answer("three") });
    await expect(recordResponse(run, "c")).rejects.toEqual(refused("CONSENSUS_OVER"));
  });

  it("MG-70 an agent that is dropped without an answer delays no vote", async () => {
    const run = await begin({ defer_voting: true, max_answers_per_agent: 1 });
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "b", [answer("two")]);
    expect([
      allowedTurn(run.view, "a"),
      allowedTurn(run.view, "c"),
      isVotingDeferred(run.view),
    ]).toEqual(["wait", "work", true]);
    expect(toolsOf(run, "c")).toEqual(["read_file", "new_answer"]);
    expect(await run.respond({ agent: "b", ...vote("agent1") })).toMatchObject({
      decision: {
        code: "no_workflow_tool",
        reason:
          "Retry (1/3): Called vote before every agent has answered. Required: nothing before that",
      },
    });
    await drop(run, "c");
    expect([allowedTurn(run.view, "a"), allowedTurn(run.view, "c")]).toEqual(["vote_only", "out"]);
    await takeTurn(run, "a", [vote("agent2")]);
    expect(tally(run.view)).toEqual({ "agent2.1": 1 });
  });

  it("MG-70 a turn that ended without complying delays no vote either, and a deferred one is not recorded", async () => {
    const run = await begin({ defer_voting: true });
    await takeTurn(run, "a", [answer("one")]);
    await takeTurn(run, "b", [answer("two")]);
    await showAnswers(run, "a");
    expect(await respond(run, "a", vote("agent2"))).toBe("no_workflow_tool");
    expect(await recordResponse(run, "a")).toBeUndefined();
    await takeTurn(run, "c", [says("1"), says("2"), says("3")]);
    await takeTurn(run, "a", [vote("agent2")]);
    expect(tally(run.view)).toEqual({ "agent2.1": 1 });
  });

  it("MG-71 at the global limit, no one waits and everyone only votes", async () => {
    const run = await begin({
      defer_voting: true,
      max_answers_per_agent: 2,
      max_answers_global: 2,
    });
    await takeTurn(run, "a", [answer("one")]);
    expect(allowedTurn(run.view, "a")).toBe("work");
    await takeTurn(run, "b", [answer("two")]);
    expect(["a", "b", "c"].map((agent) => allowedTurn(run.view, agent))).toEqual([
      "vote_only",
      "vote_only",
      "vote_only",
    ]);
    expect(await respond(run, "c", answer("three"))).toBe("answer_limit");
    await takeTurn(run, "c", [vote("agent1")]);
    expect(tally(run.view)).toEqual({ "agent1.1": 1 });
  });

  it("the global limit holds for answers that were accepted at the same moment", async () => {
    const run = await begin({ max_answers_global: 1 });
    await Promise.all([
      run.respond({ agent: "a", ...answer("one") }),
      run.respond({ agent: "b", ...answer("two") }),
    ]);
    expect(await recordResponse(run, "a")).toEqual({ kind: "answer", label: "agent1.1" });
    expect(await recordResponse(run, "b")).toMatchObject({
      kind: "ignored",
      reason: "agent1.1 came before it",
    });
    expect(await recordResponse(run, "b")).toBeUndefined();
    expect(run.view(consensusState).given).toBe(1);
  });

  it("MG-72 an agent that may only vote has no tool to answer with, others have both", async () => {
    const run = await begin({ max_answers_per_agent: 1 });
    expect(toolsOf(run, "a")).toEqual(["read_file", "vote", "new_answer"]);
    await takeTurn(run, "a", [answer("one")]);
    expect(toolsOf(run, "a")).toEqual(["read_file", "vote"]);
  });

  it("MG-73 closed, open and unknown are distinguished", async () => {
    const run = await begin({ max_answers_per_agent: 1 });
    await takeTurn(run, "a", [answer("one")]);
    const tools = ["vote", "new_answer", "mystery"];
    const open = toolsOf(run, "a", tools);
    expect(open).toEqual(["vote", "mystery"]);
    expect(tools.filter((tool) => !open.includes(tool))).toEqual(["new_answer"]);
    const { decision } = await run.respond({ agent: "a", ...answer("two"), available_tools: open });
    expect(decision).toMatchObject({
      code: "answer_limit",
      reason: "Retry (1/3): Called new_answer (not available in this round). Required: vote",
    });
  });
});

describe("the time of a round", () => {
  const timed = async (): Promise<{ readonly run: Run; pass: (ms: number) => void }> => {
    let at = Date.parse("2026-01-01T00:00:00.000Z");
    return {
      run: await begin({}, { now: () => new Date(at).toISOString() }),
      pass: (ms) => void (at += ms),
    };
  };
  const read = async (run: Run): Promise<string> =>
    (await run.toolCall({ agent: "a", tool: "read_file", args: {} })).decision.code;
  const warn = (run: Run): Promise<unknown> =>
    record(run, "time_warning", "a", {
      round: Math.max(1, turn(run, "a").round),
      grace_ms: 60_000,
    });

  it("MG-80 nothing is denied before the warning; MG-81 after its grace period, only what ends the turn is allowed", async () => {
    const { run, pass } = await timed();
    pass(3_600_000);
    expect(await read(run)).toBe("fallback");
    await warn(run);
    pass(59_999);
    expect(await read(run)).toBe("fallback");
    pass(1);
    expect(await read(run)).toBe("round_time_over");
    expect((await run.toolCall({ agent: "a", tool: "vote", args: {} })).decision.effect).toBe(
      "allow",
    );
    expect((await run.toolCall({ agent: "b", tool: "read_file", args: {} })).decision.effect).toBe(
      "allow",
    );
  });

  it("MG-82 ten denied calls in a row end the turn, and an allowed call restarts the count", async () => {
    const { isDenialLoop } = await import("@bylaw/plugin-consensus");
    const { run, pass } = await timed();
    await warn(run);
    pass(60_000);
    for (let times = 0; times < 9; times += 1) await read(run);
    expect(isDenialLoop(run.view, "a")).toBe(false);
    await run.toolCall({ agent: "a", tool: "vote", args: {} });
    for (let times = 0; times < 9; times += 1) await read(run);
    expect(isDenialLoop(run.view, "a")).toBe(false);
    const { decision } = await run.toolCall({ agent: "a", tool: "read_file", args: {} });
    expect(decision.reason).toContain("denied 10 of 10 times");
    expect(isDenialLoop(run.view, "a")).toBe(true);
    await record(run, "agent_dropped", "a", { reason: "denial_loop" });
    expect(turn(run, "a").outcome).toBe("dropped");
  });

  it("MG-83 a round has one warning, and the next round has its own", async () => {
    const { run, pass } = await timed();
    await warn(run);
    await expect(warn(run)).rejects.toEqual(refused("TIME_WARNED"));
    pass(60_000);
    await takeTurn(run, "a", [calls("read_file"), answer("one")]);
    await record(run, "round_started", "a", { round: turn(run, "a").round + 1 });
    expect(await read(run)).toBe("fallback");
    await warn(run);
  });
});
