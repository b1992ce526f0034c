import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createKernel, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { agentTurns, openRun, turnOf, type Run } from "@bylaw/log";
import { consensusState } from "@bylaw/consensus";
import {
  recordResponse,
  openConsensus,
  selectWinner,
  showAnswers,
  tally,
} from "@bylaw/plugin-consensus";
import { eventLog } from "@bylaw/plugin-event-log";
import { consensus } from "@bylaw/ruleset-consensus";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, expect, it } from "vitest";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});

const AGENTS = ["ann", "bob", "cem"];
const vote = (agent_id: string) => ({ tool: "vote", args: { agent_id, reason: "it is right" } });
const answer = (content: string) => ({ tool: "new_answer", args: { content } });

/** The work of each writer, with its own connection to one log, at the same time as the others. */
async function work(run: Run, agent: string): Promise<void> {
  for (let round = 1; round <= 4; round += 1) {
    await showAnswers(run, agent);
    const calls = round % 2 === 1 ? [answer(`${agent} ${round}`)] : [vote("agent1")];
    await run.respond({ agent, round, tool_calls: calls });
    await recordResponse(run, agent);
  }
}

it("agents of three writers answer and vote at once, and a vote counts only if the voter saw every answer", async () => {
  const file = join(folder, "runs.db");
  const stores = await Promise.all(AGENTS.map(() => openSqliteStore(file)));
  try {
    const kernel = createKernel({ extends: [consensus] });
    const runs = [];
    for (const store of stores)
      runs.push(await openRun(kernel, { run: "poem", store, join: true }));
    const [first] = runs;
    if (first === undefined) throw new Error("no run");
    await openConsensus(first, { agents: AGENTS });
    await Promise.all(runs.map((run, index) => work(run, AGENTS[index] ?? "")));
    await Promise.all(runs.map((run) => run.close()));

    const again = await openRun(kernel, {
      run: "poem",
      store: stores[0] ?? (await openSqliteStore(file)),
      join: true,
    });
    const log: readonly LogEvent[] = (await stores[0]?.events("poem", 0, 100_000)) ?? [];
    let state = consensusState.initial;
    for (const event of log) {
      if (event.event_type === "vote_accepted") {
        const seen = state.shown[event.agent_id ?? ""] ?? {};
        for (const one of state.answers)
          if (one.agent !== event.agent_id) expect(seen[one.agent]).toBe(one.revision);
      }
      state = consensusState.reduce(state, event);
    }
    expect(state).toEqual(again.view(consensusState));
    expect(state.answers).toHaveLength(3);
    // Every accepted response of an agent is on record once, with its outcome.
    const accepted = log
      .filter(({ event_type }) => event_type === "response_accepted")
      .map(({ sequence }) => sequence);
    const used = log.flatMap(({ details: { response } }) =>
      typeof response === "number" ? [response] : [],
    );
    expect(used.toSorted((left, right) => left - right)).toEqual(accepted);
    for (const agent of AGENTS)
      expect(turnOf(again.view(agentTurns), agent).rounds).toEqual([1, 2, 3, 4]);
    const winner = await selectWinner(again);
    const counts = tally(again.view);
    expect(Math.max(0, ...Object.values(counts))).toBe(counts[winner?.label ?? ""] ?? 0);
    await again.close();
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});

it("agents in separate processes, two of them with the same name, never get an attempt twice and never vote for what they have not seen", async () => {
  const file = join(folder, "runs.db");
  const store = await openSqliteStore(file);
  const kernel = createKernel({ extends: [consensus] });
  const first = await openRun(kernel, { run: "poem", store, join: true });
  await openConsensus(first, { agents: AGENTS });
  await first.close();
  const program = join(import.meta.dirname, "children", "voter.ts");
  const children = ["ann", "ann", "bob"].map((agent, index) =>
    spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", program, file, agent, `${agent}-${index}`],
      { stdio: ["pipe", "pipe", "inherit"] },
    ),
  );
  try {
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    const ended = children.map((child) => once(child, "exit"));
    for (const child of children) child.stdin.end("go\n");
    expect((await Promise.all(ended)).map(([code]) => code as number | null)).toEqual([0, 0, 0]);

    const log = await store.events("poem", 0, 100_000);
    const attempts = log.flatMap(({ event_type, agent_id, details }) =>
      event_type === "enforcement" &&
      details["reason"] !== "turn_over" &&
      details["reason"] !== "stale_revision"
        ? [`${agent_id} ${String(details["round"])} ${String(details["attempt"])}`]
        : [],
    );
    expect(attempts.length).toBeGreaterThan(3);
    expect(new Set(attempts).size).toBe(attempts.length);
    let state = consensusState.initial;
    const used: number[] = [];
    for (const event of log) {
      const { event_type, agent_id, details } = event;
      if (event_type === "vote_accepted") {
        const seen = state.shown[agent_id ?? ""] ?? {};
        for (const one of state.answers)
          if (one.agent !== agent_id) expect(seen[one.agent]).toBe(one.revision);
      }
      if (typeof details["response"] === "number") {
        used.push(details["response"]);
        expect(log[details["response"] - 1]).toMatchObject({
          event_type: "response_accepted",
          agent_id,
        });
      }
      state = consensusState.reduce(state, event);
    }
    // No response counts twice.
    expect(new Set(used).size).toBe(used.length);
    expect(state.answers.map(({ agent }) => agent).toSorted()).toEqual(["ann", "bob"]);
    const again = await openRun(kernel, { run: "poem", store, join: true });
    expect(again.view(consensusState)).toEqual(state);
    await again.close();
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await store.close();
  }
});

it("no half of a secret is left in a message or a name, wherever it is cut", async () => {
  const kernel = createKernel({
    extends: [consensus],
    plugins: [eventLog({ file: join(folder, "{run}.jsonl") })],
  });
  const run = await openRun(kernel, { run: "poem" });
  await openConsensus(run, { agents: AGENTS });
  await run.respond({ agent: "ann", tool_calls: [answer("one")] });
  await recordResponse(run, "ann");
  await showAnswers(run, "bob");
  const token = ["gh", "p_", "Zq8".repeat(12)].join("");
  const long = ["ey", "JhbGciOiJIUzI1NiJ9.", "ey", "Zq8".repeat(20), ".", "Zq8".repeat(12)].join(
    "",
  );
  const available_tools = ["read_file", "vote", "new_answer"];
  for (const secret of [token, long]) {
    for (const before of [0, 1, 5, 20, 22, 24, 40, 58, 100, 200, 215, 230, 250, 256]) {
      const name = `${"x".repeat(before)} ${secret}`;
      const said = [[vote(name)], [{ tool: name }], [{ tool: name }, vote("agent1")]];
      for (const tool_calls of said) {
        const { events } = await run.respond({
          agent: "bob",
          tool_calls,
          available_tools,
          max_attempts: 999,
        });
        expect(JSON.stringify(events[0]?.details)).not.toContain("Zq8");
      }
    }
  }
  await run.close();
});

it("no half of a secret is left in a preview, and the record has exactly what the voter was shown", async () => {
  const kernel = createKernel({
    extends: [consensus],
    plugins: [eventLog({ file: join(folder, "{run}.jsonl") })],
  });
  const run = await openRun(kernel, { run: "poem" });
  await openConsensus(run, { agents: AGENTS });
  const secret = ["gh", "p_", "Zq8".repeat(12)].join("");
  for (let before = 455; before <= 500; before += 5) {
    const { events } = await run.respond({
      agent: "ann",
      text: `${"x".repeat(before)} ${secret} and more`,
      max_attempts: 99,
    });
    const details: JsonObject = events[0]?.details ?? {};
    expect(String(details["buffer_preview"])).not.toContain("Zq8");
    expect(String(details["buffer_preview"]).length).toBeLessThanOrEqual(500);
  }
  await run.record([
    { event_type: "round_started", agent_id: "ann", task_id: null, details: { round: 2 } },
  ]);
  await run.respond({ agent: "ann", tool_calls: [answer(`the token is ${secret}`)] });
  expect(await recordResponse(run, "ann")).toEqual({ kind: "answer", label: "agent1.1" });
  const [shown] = await showAnswers(run, "bob");
  expect(shown?.content).not.toContain("Zq8");
  await run.respond({ agent: "bob", tool_calls: [vote("agent1")] });
  expect(await recordResponse(run, "bob")).toMatchObject({ kind: "vote", label: "agent1.1" });
  await run.close();
});
