import { consensusState } from "@bylaw/consensus";
import { createKernel, isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { describeExamples, pluginOf } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import {
  recordResponse,
  consensus,
  openConsensus,
  pendingAnswers,
  showAnswers,
  tally,
  winningAnswer,
} from "../src/index.ts";

describeExamples(examples, { describe, it });

/** Ends turns like the reasons plugin, with fixed tools. */
const terminals = pluginOf("terminals", (kernel) =>
  kernel.prepare("turn", ({ host }) =>
    isJsonObject(host?.["terminal"]) ? { turn: { terminal: host["terminal"] } } : undefined,
  ),
);

const AGENTS = ["b", "a", "c"];
async function begin(store = createMemoryStore()): Promise<Run> {
  const run = await openRun(createKernel({ plugins: [consensus(), terminals] }), {
    run: "r",
    store,
  });
  await openConsensus(run, { agents: AGENTS });
  return run;
}
const answers = (run: Run, agent: string, content: string): Promise<unknown> =>
  run.respond({ agent, host: { terminal: { kind: "answer", content } } });
const votes = (run: Run, agent: string, target: string): Promise<unknown> =>
  run.respond({ agent, host: { terminal: { kind: "vote", target, reason: null } } });

describe("the beginning", () => {
  it("names every agent once, in the order of their ids, and happens once", async () => {
    const run = await begin();
    expect(run.view(consensusState)).toMatchObject({
      agents: ["a", "b", "c"],
      terms: { defer_voting: false, fairness: "votes" },
    });
    await expect(openConsensus(run, { agents: ["x"] })).rejects.toThrow("already open");
  });

  it.each([[[]], [["a", "a"]], [["__proto__"]], [[""]]])("refuses %j", async (agents) => {
    const run = await openRun(createKernel({ plugins: [consensus()] }), { run: "r" });
    await expect(openConsensus(run, { agents })).rejects.toThrow("consensus_opened");
  });
});

it("refuses a grace period that ends after the last possible date", async () => {
  const run = await begin();
  const details = { round: 1, grace_ms: Number.MAX_SAFE_INTEGER };
  const warning = run.record([
    { event_type: "time_warning", agent_id: "a", task_id: null, details },
  ]);
  await expect(warning).rejects.toFailWith("BYLAW_EVENT_INVALID");
});

describe("any order of what agents do", () => {
  const steps = fc.array(
    fc.record({
      agent: fc.constantFrom("a", "b", "c"),
      act: fc.constantFrom("answer", "vote", "show", "conclude"),
      of: fc.constantFrom("agent1", "agent2", "agent3", "agent9"),
    }),
    { maxLength: 25 },
  );

  it("keeps every promise of the record", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const store = createMemoryStore();
        const run = await begin(store);
        for (const { agent, act, of } of given) {
          if (act === "answer") await answers(run, agent, `${of} of ${agent}`);
          else if (act === "vote") await votes(run, agent, of);
          else if (act === "show") await showAnswers(run, agent);
          else await recordResponse(run, agent);
        }
        const state = run.view(consensusState);
        // Each live vote is for a current answer, by a voter that has seen all current answers.
        for (const [voter, { label }] of Object.entries(state.votes)) {
          expect(state.answers.map((answer) => answer.label)).toContain(label);
          expect(pendingAnswers(run.view, voter)).toEqual([]);
        }
        expect(Object.values(tally(run.view)).reduce((sum, count) => sum + count, 0)).toBe(
          Object.keys(state.votes).length,
        );
        expect(winningAnswer(run.view) === undefined).toBe(state.answers.length === 0);
        // The same log gives the same state, also from a snapshot.
        const log: readonly LogEvent[] = await store.events("r", 0, 10_000);
        const again = log.reduce(
          (before, event) =>
            consensusState.reduce(JSON.parse(JSON.stringify(before)) as typeof before, event),
          consensusState.initial,
        );
        expect(JSON.stringify(again)).toBe(JSON.stringify(state));
        // Each accepted response leads to at most one recorded answer or vote.
        const used = log.flatMap(({ details: { response } }) =>
          typeof response === "number" ? [response] : [],
        );
        expect(new Set(used).size).toBe(used.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe("other writers", () => {
  it("cannot record an answer that an agent did not give", async () => {
    const run = await begin();
    const forged: JsonObject = {
      response: 2,
      label: "agent1.1",
      revision: 1,
      sha256: `sha256:${"0".repeat(64)}`,
      workspace: null,
    };
    await expect(
      run.record([
        { event_type: "answer_accepted", agent_id: "a", task_id: null, details: forged },
      ]),
    ).rejects.toThrow("accepted response");
    await expect(
      run.record([
        { event_type: "answer_accepted", agent_id: null, task_id: null, details: forged },
      ]),
    ).rejects.toThrow("take part");
  });

  it("may replace an unconcluded response with a later one", async () => {
    const run = await begin();
    await answers(run, "a", "first");
    await answers(run, "a", "second");
    await recordResponse(run, "a");
    expect(run.view(consensusState).answers.map(({ content }) => content)).toEqual(["second"]);
    expect(await recordResponse(run, "a")).toBeUndefined();
  });
});
