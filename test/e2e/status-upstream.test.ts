import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Response } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { recordResponse, openConsensus, selectWinner, showAnswers } from "@bylaw/plugin-consensus";
import { reasons } from "@bylaw/plugin-reasons";
import { readStatus, status, type ReadStatus, type Reliability } from "@bylaw/plugin-status";
import { consensus } from "@bylaw/ruleset-consensus";
import { expect, test } from "vitest";
import { scratch } from "./bylaw.ts";

const FIXTURES = join(import.meta.dirname, "../../plugins/status/test/fixtures");
const origin = (name: string): ReadStatus =>
  readStatus(readFileSync(join(FIXTURES, `${name}.json`), "utf8"));

const AGENTS = ["agent_a", "agent_b", "agent_c"];
const TOOLS = ["vote", "new_answer", "execute_command"];
const answer = (content: string) => ({ tool: "new_answer", args: { content } });
const vote = (agent_id: string) => ({ tool: "vote", args: { agent_id, reason: "better" } });
const RIVER = "A river runs through reeds and stones to the sea";

const called = (
  text: string,
  { tool, args }: { readonly tool: string; readonly args: object },
): Pick<Reliability["enforcement_attempts"][number], "buffer_chars" | "buffer_preview"> => {
  const buffer = [...(text === "" ? [] : [text]), `[Tool Call: ${tool}(${JSON.stringify(args)})]`];
  const whole = buffer.join("\n");
  return { buffer_chars: whole.length, buffer_preview: whole.slice(0, 500) };
};
const RUN = { tool: "execute_command", args: { command: "ls" } };

/** Intended differences, for each violation that MassGen lists: the number of the round, words, and that calls count as lost. */
const DIFFERENT: Readonly<
  Record<string, readonly Partial<Reliability["enforcement_attempts"][number]>[]>
> = {
  agent_a: [
    {
      round: 2,
      ...called("", answer(`${RIVER} slowly`)),
      error_message:
        "Answer shares over 70% of its words with the one of agent2. Required: vote or new_answer, with something new. " +
        "Bring another approach, other tools or other findings, or vote for an answer that is there.",
    },
  ],
  agent_c: [
    // MassGen keeps the round of an agent that others restarted, while its attempts begin anew.
    { round: 1, ...called("[Reasoning]\nI should vote", vote("agent1")) },
    {
      round: 2,
      ...called("x".repeat(900), RUN),
      error_message:
        "You called execute_command, which ends no turn. Finish your work with a call of vote or new_answer.",
    },
    { round: 2, ...called("", vote("agent5")) },
  ],
};
const BY_ROUND = {
  agent_a: { 1: { count: 0, reasons: [] }, 2: { count: 1, reasons: ["answer_novelty"] } },
  agent_c: {
    1: { count: 1, reasons: ["vote_no_answers"] },
    2: { count: 2, reasons: ["no_workflow_tool", "invalid_vote_id"] },
  },
};

test("a run that repeats a MassGen run has the same reliability, except for the listed differences", async () => {
  const cwd = scratch();
  const workflow_tools = { vote: "vote", new_answer: "answer" } as const;
  const kernel = createKernel(
    {
      extends: [consensus],
      plugins: [reasons({ workflow_tools, novelty: "balanced" }), status({ every_ms: 0 })],
    },
    { configFile: join(cwd, "bylaw.config.ts") },
  );
  const run = await openRun(kernel, { run: "poem" });
  const say = async (
    agent: string,
    round: number,
    call: NonNullable<Response["tool_calls"]>[number],
    text = "",
  ): Promise<void> => {
    await showAnswers(run, agent);
    await run.respond({ agent, round, text, tool_calls: [call], available_tools: TOOLS });
    await recordResponse(run, agent);
  };
  await openConsensus(run, { agents: AGENTS });
  await say("agent_c", 1, vote("agent1"), "[Reasoning]\nI should vote");
  await say("agent_a", 1, answer("The owl sleeps by day"));
  await say("agent_c", 2, RUN, "x".repeat(900));
  await say("agent_c", 2, vote("agent5"));
  await say("agent_b", 1, answer(RIVER));
  await say("agent_a", 2, answer(`${RIVER} slowly`));
  await say("agent_a", 2, answer("The owl sleeps by day and hunts at night"));
  await say("agent_c", 2, vote("agent2"));
  const winner = await selectWinner(run);
  await run.close();

  const made = readStatus(readFileSync(join(cwd, ".bylaw/runs/poem/status.json"), "utf8"));
  for (const name of ["status-2-enforcement", "status-3-complete"]) {
    const given = origin(name);
    expect(Object.keys(made.agents).toSorted()).toEqual(Object.keys(given.agents));
    for (const [id, listed] of Object.entries(DIFFERENT)) {
      const wanted = given.agents[id]?.reliability;
      const attempts = wanted?.enforcement_attempts.map((attempt, index) => ({
        ...attempt,
        ...listed[index],
        ...{ recovery: "restart", final: false, timestamp: expect.any(Number) as number },
      }));
      expect(attempts).toHaveLength(listed.length);
      expect(made.agents[id]?.reliability).toEqual({
        ...wanted,
        enforcement_attempts: attempts,
        by_round: BY_ROUND[id as keyof typeof BY_ROUND],
        total_buffer_chars_lost: listed.reduce(
          (sum, { buffer_chars = 0 }) => sum + buffer_chars,
          0,
        ),
      });
    }
    // Nothing happened to this agent, and MassGen writes no block for it.
    expect(made.agents["agent_b"]).toMatchObject({
      status: given.agents["agent_b"]?.status,
      answer_count: 1,
    });
    expect(made.agents["agent_b"]?.reliability).toMatchObject({
      enforcement_attempts: [],
      outcome: "ok",
    });
    expect(made.agents["agent_a"]).toMatchObject({
      answer_count: 2,
      latest_answer_label: "agent1.2",
    });
  }
  expect(made.winner).toBe(origin("status-3-complete").winner);
  expect(winner?.agent).toBe("agent_b");
  // MassGen counts a changed vote twice.
  expect([made.votes, origin("status-2-enforcement").votes]).toEqual([
    { "agent2.1": 1 },
    { "agent2.1": 1 },
  ]);
});
