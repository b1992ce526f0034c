import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Json, type Response } from "@bylaw/kernel";
import { openRun, type Outcome, type Run } from "@bylaw/log";
import { recordResponse, openConsensus, selectWinner, showAnswers } from "@bylaw/plugin-consensus";
import { readStatus, status, type Status } from "@bylaw/plugin-status";
import { consensus } from "@bylaw/ruleset-consensus";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratch } from "./bylaw.ts";

type ResponseCall = NonNullable<Response["tool_calls"]>[number];

const AVAILABLE = ["vote", "new_answer", "read_file"];
const call = (tool: string, args: Json = {}): ResponseCall => ({ tool, args });
const answer = (content: string): ResponseCall => call("new_answer", { content });
const vote = (agent_id: string): ResponseCall =>
  call("vote", { agent_id, reason: "better imagery" });

interface Scene {
  readonly run: Run;
  /** Sends one response of an agent, and resolves to its outcome. */
  readonly say: (
    agent: string,
    tool_calls: readonly ResponseCall[],
    text?: string,
  ) => Promise<Outcome>;
  /** The text of `status.json` when the run is closed. */
  readonly close: () => Promise<string>;
}

/** Three agents that answer and vote, with a status of their run. */
async function scene(): Promise<Scene> {
  const cwd = scratch();
  const kernel = createKernel(
    { extends: [consensus], plugins: [status({ every_ms: 0 })] },
    { configFile: join(cwd, "bylaw.config.ts") },
  );
  const run = await openRun(kernel, { run: "poem" });
  onTestFinished(() => run.close());
  await openConsensus(run, { agents: ["ann", "ben", "cem"] });
  return {
    run,
    async say(agent, tool_calls, text = "") {
      const outcome = await run.respond({ agent, text, tool_calls, available_tools: AVAILABLE });
      if (outcome.decision.effect === "allow") await recordResponse(run, agent);
      return outcome;
    },
    async close() {
      await run.close();
      return readFileSync(join(cwd, ".bylaw/runs/poem/status.json"), "utf8");
    },
  };
}

/** The content of a rejected response that is lost: its text and its calls. */
const bufferOf = (text: string, { tool, args }: ResponseCall): string =>
  [...(text === "" ? [] : [text]), `[Tool Call: ${tool}(${JSON.stringify(args)})]`].join("\n");

const parsed = (text: string): Status => JSON.parse(text) as Status;

describe("status.json of agents that answer and vote", () => {
  test("MG-01 has the unknown tool, what the agent was writing, and the message with its count", async () => {
    const { say, close } = await scene();
    const text = "I should read the file first. ".repeat(40);
    const made = call("execute_command", { command: "ls" });
    await say("cem", [made], text);
    const { reliability } = parsed(await close()).agents["cem"] ?? {};
    expect(reliability).toMatchObject({
      enforcement_attempts: [
        {
          ...{
            round: 1,
            attempt: 1,
            reason: "unknown_tool",
            tool_calls: ["execute_command"],
            buffer_preview: text.slice(0, 500),
          },
          ...{
            error_message: expect.stringContaining("execute_command") as unknown,
            timestamp: expect.any(Number) as unknown,
          },
        },
      ],
      by_round: { 1: { count: 1, reasons: ["unknown_tool"] } },
      unknown_tools: ["execute_command"],
      outcome: null,
    });
    expect(reliability?.enforcement_attempts[0]?.buffer_chars).toBe(bufferOf(text, made).length);
  });

  test("MG-31 says which agents may be voted for", async () => {
    const { say, run, close } = await scene();
    await say("ann", [answer("The owl sleeps by day")]);
    await say("ben", [answer("A river runs to the sea")]);
    await showAnswers(run, "cem");
    await say("cem", [vote("agent5")]);
    const { reliability } = parsed(await close()).agents["cem"] ?? {};
    expect(reliability).toMatchObject({
      workflow_errors: ["invalid_vote_id"],
      unknown_tools: [],
      total_buffer_chars_lost: bufferOf("", vote("agent5")).length,
    });
    expect(reliability?.enforcement_attempts[0]?.error_message).toContain(
      "Invalid agent_id 'agent5'. Valid agents: agent1, agent2",
    );
  });

  test("MG-03 MG-09 MG-46 follows three agents from the first word to the winner", async () => {
    const { say, run, close } = await scene();
    await say("cem", [vote("agent1")], "I vote");
    await say("cem", [], "and I think that is fine");
    await say("ann", [answer("The owl sleeps by day")]);
    await say("ben", [answer("A river runs to the sea")]);
    for (const agent of ["ann", "ben", "cem"]) await showAnswers(run, agent);
    await run.record([
      { event_type: "round_started", agent_id: "ann", task_id: null, details: { round: 2 } },
    ]);
    await say("cem", [vote("agent2")]);
    await say("ann", [vote("agent2")]);
    expect((await selectWinner(run))?.agent).toBe("ben");
    const text = await close();
    const { agents, results, coordination, ...rest } = parsed(text);
    expect(rest).toMatchObject({
      finish_reason: "completed",
      finish_reason_details: "Winner: ben",
      is_complete: true,
    });
    expect(coordination).toMatchObject({ phase: "presentation", is_final_presentation: true });
    expect(results).toEqual({
      votes: { "agent2.1": 2 },
      winner: "ben",
      final_answer_preview: "A river runs to the sea",
    });
    expect(agents["cem"]).toMatchObject({
      status: "voted",
      vote_cast: {
        voted_for_agent: "ben",
        voted_for_label: "agent2.1",
        reason_preview: "better imagery",
      },
      reliability: {
        by_round: { 1: { count: 2, reasons: ["vote_no_answers", "no_tool_calls"] } },
        workflow_errors: ["vote_no_answers"],
        total_enforcement_retries: 2,
        // The text of the second response is part of the retry.
        total_buffer_chars_lost: bufferOf("I vote", vote("agent1")).length,
        outcome: "ok",
      },
    });
    expect(agents["ben"]).toMatchObject({
      status: "answered",
      answer_count: 1,
      reliability: { enforcement_attempts: [], outcome: "ok" },
    });
    expect(agents["ann"]?.reliability.by_round).toEqual({
      1: { count: 0, reasons: [] },
      2: { count: 0, reasons: [] },
    });
    expect(readStatus(text).winner).toBe("ben");
  });

  test("MG-12 MG-45 distinguishes an agent that used every attempt from one that was cut off", async () => {
    const { say, run, close } = await scene();
    for (const attempt of [1, 2, 3]) await say("ann", [], `no tool ${attempt}`);
    await run.record([
      {
        event_type: "agent_dropped",
        agent_id: "ben",
        task_id: null,
        details: { reason: "timeout" },
      },
    ]);
    await run.record([
      {
        event_type: "infrastructure_event",
        agent_id: "cem",
        task_id: null,
        details: { kind: "api_error" },
      },
    ]);
    await run.record([
      {
        event_type: "run_finished",
        agent_id: null,
        task_id: null,
        details: { reason: "timeout", details: "30 minutes" },
      },
    ]);
    const { agents, finish_reason, rounds } = parsed(await close());
    expect(finish_reason).toBe("timeout");
    expect(rounds.by_outcome).toEqual({ ok: 0, non_compliant: 1, dropped: 1, running: 1 });
    expect(
      agents["ann"]?.reliability.enforcement_attempts.map(({ attempt, final }) => [attempt, final]),
    ).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(agents["cem"]).toMatchObject({
      total_infrastructure_events: 1,
      reliability: { total_enforcement_retries: 0 },
    });
  });
});
