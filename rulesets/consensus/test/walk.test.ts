import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { createMemoryStore } from "@bylaw/log";
import { selectWinner, tally } from "@bylaw/plugin-consensus";
import { REASONS } from "@bylaw/plugin-reasons";
import { describe, expect, it } from "vitest";
import { answer, begin, calls, drive, says, takeTurn, turn, vote, type Prompt } from "./host.ts";

const logOf = async (store: ReturnType<typeof createMemoryStore>): Promise<readonly LogEvent[]> =>
  store.events("poem", 0, 10_000);
const enforcementsOf = async (
  store: ReturnType<typeof createMemoryStore>,
): Promise<readonly JsonObject[]> =>
  (await logOf(store)).flatMap(({ event_type, details }) =>
    event_type === "enforcement" ? [details] : [],
  );

describe("three scripted agents", () => {
  it("answer, err, see each other's answers, vote, and agree", async () => {
    const store = createMemoryStore();
    const run = await begin({ max_answers_per_agent: 2 }, { store });
    await drive(run, {
      a: [[answer("roses are red")], [vote("agent2")]],
      b: [[calls("execute_command"), answer("violets are blue")], [vote("agent2")]],
      c: [[says("I think"), vote("agent7"), vote("agent1")], [vote("agent2")]],
    });
    expect(tally(run.view)).toEqual({ "agent2.1": 3 });
    expect(await selectWinner(run)).toMatchObject({ agent: "b", label: "agent2.1" });
    expect(
      (await enforcementsOf(store)).map(({ reason, round, attempt }) => [reason, round, attempt]),
    ).toEqual([
      ["unknown_tool", 1, 1],
      ["no_tool_calls", 1, 1],
      ["invalid_vote_id", 1, 2],
    ]);
    expect(["a", "b", "c"].map((agent) => turn(run, agent).outcome)).toEqual(["ok", "ok", "ok"]);
    const types = (await logOf(store)).map(({ event_type }) => event_type);
    expect(types.at(-1)).toBe("winner_selected");
    expect(types.filter((type) => type === "vote_accepted")).toHaveLength(4);
  });

  it("are told at the retry what was wrong", async () => {
    const run = await begin();
    const prompts: readonly Prompt[] = await takeTurn(run, "a", [
      calls("execute_command"),
      says("half an answer"),
      answer("whole"),
    ]);
    expect(prompts.map(({ retry }) => retry?.kind)).toEqual([undefined, "tool_results", "message"]);
    expect(JSON.stringify(prompts[1]?.retry)).toContain("There is no tool 'execute_command'");
    expect(JSON.stringify(prompts[2]?.retry)).toContain("half an answer");
  });
});

describe("each reason, by a scripted agent through a host", () => {
  const cases: Readonly<Record<string, () => Promise<readonly JsonObject[]>>> = Object.fromEntries(
    Object.entries({
      unknown_tool: (run) => takeTurn(run, "a", [calls("execute_command")]),
      no_workflow_tool: (run) => takeTurn(run, "a", [calls("read_file")]),
      no_tool_calls: (run) => takeTurn(run, "a", [says("done")]),
      vote_no_answers: (run) => takeTurn(run, "a", [vote("agent1")]),
      invalid_vote_id: async (run) => {
        await takeTurn(run, "b", [answer("x")]);
        await takeTurn(run, "a", [vote("agent5")]);
      },
      vote_and_answer: (run) =>
        takeTurn(run, "a", [
          {
            text: "",
            tool_calls: [...(vote("agent1").tool_calls ?? []), ...(answer("x").tool_calls ?? [])],
          },
        ]),
      answer_limit: async (run) => {
        await takeTurn(run, "a", [answer("x")]);
        await takeTurn(run, "a", [answer("y")]);
        await takeTurn(run, "a", [answer("z")]);
      },
      answer_duplicate: async (run) => {
        await takeTurn(run, "a", [answer("x")]);
        await takeTurn(run, "b", [answer(" x")]);
      },
      turn_over: async (run) => {
        await takeTurn(run, "a", [says("1"), says("2"), says("3")]);
        await run.respond({ agent: "a", ...answer("x") });
      },
      stale_revision: async (run) => {
        await takeTurn(run, "b", [answer("x")]);
        await run.respond({ agent: "a", ...vote("agent2") });
      },
    } satisfies Record<string, (run: Awaited<ReturnType<typeof begin>>) => Promise<unknown>>).map(
      ([code, work]) => [
        code,
        async () => {
          const store = createMemoryStore();
          await work(await begin({ max_answers_per_agent: 2 }, { store }));
          return enforcementsOf(store);
        },
      ],
    ),
  );

  it.each(Object.entries(cases))("%s", async (code, work) => {
    expect((await work()).at(-1)).toMatchObject({ reason: code });
  });

  it("answer_novelty", async () => {
    const { reasons } = await import("@bylaw/plugin-reasons");
    const store = createMemoryStore();
    const strict = reasons({
      workflow_tools: { vote: "vote", new_answer: "answer" },
      novelty: "strict",
    });
    const run = await begin({}, { store, config: { plugins: [strict] } });
    await takeTurn(run, "a", [answer("one two three")]);
    await takeTurn(run, "b", [answer("three two one")]);
    expect((await enforcementsOf(store)).at(-1)).toMatchObject({ reason: "answer_novelty" });
    expect(Object.keys(cases).length + 1).toBe(Object.keys(REASONS).length);
  });
});
