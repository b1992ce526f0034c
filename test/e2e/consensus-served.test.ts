import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import type { AgentClient } from "@bylaw/sdk";
import { Conflict, OperatorClient, Unauthenticated } from "@bylaw/sdk";
import { ENROL, OPERATOR, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

const site = makeSite([]);
afterAll(endServers);

const AGENTS = ["ann", "bob", "cem"];
const call = (tool: string, args: Readonly<Record<string, string>> = {}) => ({ tool, args });
const answer = (content: string) => call("new_answer", { content });

async function serving(data: string, settings: object = { consensus: true }) {
  const tasks = AGENTS.map((agent) => ({ id: `of-${agent}` }));
  const server = await startServer(site, { data: site.path(data), ...settings }, tasks);
  const claimed = async (agent_id: string): Promise<AgentClient> => {
    const agent = server.client(agent_id);
    await agent.claimTask({ task_id: `of-${agent_id}` });
    return agent;
  };
  const operator = new OperatorClient({ endpoint: server.url, operator_token: OPERATOR });
  return { server, claimed, operator };
}

it("without --consensus no response is accepted, and the refusal names the option that the server needs", async () => {
  const { claimed, operator } = await serving("plain", {});
  const ann = await claimed("ann");
  for (const ask of [
    () => ann.respond({ text: "done" }),
    () => ann.consensus.show(),
    () => operator.consensus(),
  ]) {
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Conflict);
    expect(error).toMatchObject({ code: "BYLAW_SERVICE_UNFIT" });
    expect((error as Conflict).fix).toContain("bylaw serve --consensus");
  }
  await expect(operator.recordEvent({ event_type: "session_end" })).rejects.toMatchObject({
    fix: expect.stringContaining("@bylaw/plugin-coordinator"),
  });
});

describe("with --consensus", () => {
  it("gives each of the nine reasons by default", async () => {
    const { claimed, operator } = await serving("reasons");
    await operator.openConsensus({ agents: AGENTS, max_answers_per_agent: 1 });
    const [ann, bob] = [await claimed("ann"), await claimed("bob")];
    const available_tools = ["read_file", "vote", "new_answer"];
    const why = async (agent: AgentClient, said: object): Promise<string> => {
      const { accepted, code, message } = await agent.respond({ available_tools, ...said });
      expect([accepted, message]).not.toEqual([false, ""]);
      return code;
    };
    expect(await why(ann, { tool_calls: [call("vote", { agent_id: "agent2" })] })).toBe(
      "vote_no_answers",
    );
    expect(await why(ann, { text: "I think so" })).toBe("no_tool_calls");
    expect(
      (await ann.consensus.answer("Roses are red and the sky is blue today")).conclusion,
    ).toEqual({ kind: "answer", label: "agent1.1" });
    await ann.consensus.round();
    expect(await why(ann, { tool_calls: [answer("Another one")] })).toBe("answer_limit");
    expect(
      await why(bob, { tool_calls: [answer("Roses are red and the sky is blue today")] }),
    ).toBe("answer_novelty");
    expect(await why(bob, { tool_calls: [call("execute_command")] })).toBe("unknown_tool");
    await operator.beginRound("bob");
    expect(await why(bob, { tool_calls: [call("read_file")] })).toBe("no_workflow_tool");
    expect(
      await why(bob, { tool_calls: [answer("x"), call("vote", { agent_id: "agent1" })] }),
    ).toBe("vote_and_answer");
    expect(await why(bob, { tool_calls: [call("vote", { agent_id: "agent7" })] })).toBe(
      "invalid_vote_id",
    );
    await operator.beginRound("bob");
    const lenient = await serving("lenient", { consensus: true, novelty: "lenient" });
    await lenient.operator.openConsensus({ agents: AGENTS });
    await (await lenient.claimed("ann")).consensus.answer("The same");
    expect(await why(await lenient.claimed("bob"), { tool_calls: [answer("The same")] })).toBe(
      "answer_duplicate",
    );
  });

  it("keeps the text of a rejected answer without the secrets in it", async () => {
    const { claimed, operator, server } = await serving("secret");
    await operator.openConsensus({ agents: AGENTS });
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const said = [answer(`the key is ${secret}`), call("vote", { agent_id: "agent1" })];
    expect(await (await claimed("ann")).respond({ tool_calls: said })).toMatchObject({
      code: "vote_and_answer",
    });
    const recorded = JSON.stringify(
      await server.operator.insist("GET", "/audit/query?event_type=enforcement"),
    );
    expect(recorded).toContain("the key is [redacted sha256:");
    expect(recorded).not.toContain(secret);
  });

  it("knows no agent that takes no part", async () => {
    const { operator } = await serving("typo");
    await operator.openConsensus({ agents: AGENTS });
    for (const ask of [
      () => operator.dropAgent("anne", "timeout"),
      () => operator.beginRound("anne"),
    ])
      await expect(ask()).rejects.toMatchObject({
        status: 404,
        fix: expect.stringContaining("`ann`") as string,
      });
  });

  it("agents in TypeScript and Python answer, read the answers, vote, and agree", async () => {
    const { server, claimed, operator } = await serving("agree");
    expect((await operator.openConsensus({ agents: AGENTS })).open).toBe(true);
    const [ann, bob] = [await claimed("ann"), await claimed("bob")];
    expect((await ann.consensus.answer("Roses are red")).conclusion).toMatchObject({
      label: "agent1.1",
    });
    const { stdout } = await promisify(execFile)(
      "python3",
      [join(import.meta.dirname, "children", "agree.py")],
      {
        env: {
          ...process.env,
          PYTHONPATH: join(import.meta.dirname, "../../packages/sdk-python/src"),
          PYTHONDONTWRITEBYTECODE: "1",
          BYLAW_ENDPOINT: server.url,
          BYLAW_AGENT_ID: "cem",
          BYLAW_ENROL_SECRET: ENROL,
        },
      },
    );
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      ["may", "work"],
      ["answer", { kind: "answer", label: "agent3.1" }],
      ["round", 2],
      ["unseen", "stale_revision"],
      ["shown", ["agent1.1"]],
      ["vote", { kind: "vote", label: "agent1.1" }],
    ]);
    expect((await bob.consensus.show()).answers.map(({ label }) => label)).toEqual([
      "agent3.1",
      "agent1.1",
    ]);
    // An agent that missed the answers gets them again.
    expect(await bob.consensus.show()).toMatchObject({
      unseen: [],
      answers: [{ content: "Sugar is sweet" }, {}],
    });
    const said = await bob.respond({ tool_calls: [call("vote", { agent_id: "agent1" })] });
    expect(await bob.consensus.conclude(said)).toEqual({ kind: "vote", label: "agent1.1" });
    expect(await bob.consensus.conclude(said)).toEqual({ kind: "vote", label: "agent1.1" });
    // The sequence tells nobody what another agent voted.
    expect(await ann.consensus.conclude(said)).toBeNull();
    expect((await bob.consensus.state()).tally).toEqual({});
    expect((await operator.consensus()).tally).toEqual({ "agent1.1": 2 });
    const done = await operator.selectWinner({ request_id: "end" });
    expect(done).toMatchObject({
      open: false,
      winner: { alias: "agent1", content: "Roses are red" },
    });
    expect(await operator.selectWinner({ request_id: "end" })).toEqual(done);
    expect((await bob.consensus.state()).winner).toMatchObject({ label: "agent1.1" });
  });

  it("an agent cannot see hidden answers, vote for an answer that it has not seen, or give itself attempts", async () => {
    const { server, claimed, operator } = await serving("adversary");
    await operator.openConsensus({ agents: AGENTS });
    const [ann, bob] = [await claimed("ann"), await claimed("bob")];
    await ann.consensus.answer("Roses are red");
    expect(JSON.stringify(await bob.consensus.state())).not.toContain("Roses");
    expect((await bob.consensus.vote("agent1")).code).toBe("stale_revision");
    // The same answer is sent again under its id, and counts once.
    const twice = { request_id: "mine" };
    const first = await bob.consensus.answer("Violets are blue", twice);
    expect(await bob.consensus.answer("Violets are blue", twice)).toEqual(first);
    await ann.consensus.round();
    for (const text of ["one", "two"]) await ann.respond({ text });
    await expect(ann.consensus.round()).rejects.toBeInstanceOf(Conflict);
    const { body } = await raw(server.url, ann, "/responses", { text: "three", round: 9 });
    expect(body).toMatchObject({ status: 409, detail: "Round 9 of this agent has not begun" });
    const last = await raw(server.url, ann, "/responses", { text: "three", max_attempts: 99 });
    expect(last.body["reason"]).toMatch(/^Failed \(3\/3\)/);
    await expect(ann.consensus.round()).rejects.toMatchObject({
      fix: expect.stringContaining("operator") as string,
    });
    expect((await ann.consensus.answer("late")).code).toBe("turn_over");
    for (const [path, sent] of [
      ["/consensus", { agents: ["ann"] }],
      ["/consensus/select", {}],
      ["/consensus/drop", { agent_id: "bob", reason: "timeout" }],
      ["/consensus/round", { agent_id: "bob" }],
    ] as const)
      expect((await raw(server.url, ann, path, sent)).status).toBe(403);
    expect((await operator.dropAgent("cem", "timeout")).agents[2]).toMatchObject({
      agent_id: "cem",
      outcome: "dropped",
    });
    await expect(
      new OperatorClient({ endpoint: server.url, operator_token: ENROL }).consensus(),
    ).rejects.toBeInstanceOf(Unauthenticated);
  });
});

/** Sends a request like an agent with its own client. */
async function raw(url: string, agent: AgentClient, path: string, body: object) {
  const claimed = await fetch(`${url}/api/v1/tasks/claim`, {
    method: "POST",
    headers: { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" },
    body: JSON.stringify({ agent_id: agent.agent_id, task_id: agent.task_id }),
  });
  const { phase_token } = (await claimed.json()) as { readonly phase_token: string };
  const answered = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${phase_token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answered.status, body: (await answered.json()) as Record<string, unknown> };
}
