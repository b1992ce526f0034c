// A person answers in the form of LangChain's `humanInTheLoopMiddleware`: question and answer are on record.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, MemorySaver } from "@langchain/langgraph";
import { openSqliteStore } from "@bylaw/store-sqlite";
import {
  AIMessage,
  HumanMessage,
  createAgent,
  fakeModel,
  humanInTheLoopMiddleware,
  tool,
  type AgentMiddleware,
  type HITLRequest,
  type HITLResponse,
} from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { GuardOptions } from "../src/index.ts";
import { openAgent } from "./kit.ts";

const folder = mkdtempSync(join(tmpdir(), "bylaw-langchain-hitl-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const thread = { configurable: { thread_id: "t" } };
const go = { messages: [new HumanMessage("go")] };
const requestIn = (state: object): HITLRequest => {
  const { __interrupt__: [first] = [] } = state as {
    readonly __interrupt__?: readonly { readonly value: HITLRequest }[];
  };
  if (first === undefined) throw new Error("The agent was not interrupted");
  return first.value;
};

/** Asks about a call, and resumes the agent with a value. */
async function resumed(name: string, resume: object, options: Partial<GuardOptions>) {
  const file = join(folder, `${name}.db`);
  const turns = [[{ id: "c1", path: "ask-1" }]];
  const { agent, ran } = await openAgent({ turns, file, ...options });
  const request = requestIn(await agent.invoke(go, thread));
  const { messages } = await agent.invoke(new Command({ resume }), thread);
  const store = await openSqliteStore(file);
  const events = await store.events("r", 0, 100);
  await store.close();
  return {
    ...{ request, ran },
    told: messages.filter(({ type }) => type === "tool").map(({ text }) => text),
    recorded: events.map(({ event_type, details: { by, reason } }) =>
      by === undefined ? event_type : [event_type, by, reason],
    ),
  };
}

const loop = { humanInTheLoop: true, approver: "ada" };
const yes: HITLResponse = { decisions: [{ type: "approve" }] };
const no: HITLResponse = { decisions: [{ type: "reject", message: "Not today" }] };

describe("an answer in the form of the human-in-the-loop middleware", () => {
  it("lets the call run once, and is on record with the question and the person", async () => {
    const { ran, told, recorded } = await resumed("yes", yes, loop);
    expect([ran, told]).toEqual([["ask-1"], ["write ask-1"]]);
    expect(recorded).toEqual([
      ...["session_start", "tool_asked", ["approval_granted", "ada", undefined]],
      ...["tool_allowed", "tool_result", "response_accepted"],
    ]);
  });

  it("names the person itself, if the application knows who answers", async () => {
    const { recorded } = await resumed("by", { ...yes, by: "bob" }, loop);
    expect(recorded).toContainEqual(["approval_granted", "bob", undefined]);
  });

  it("refuses the call with the person's words", async () => {
    const { ran, told, recorded } = await resumed("no", no, loop);
    expect([ran, told]).toEqual([[], ["A person (ada) refused this call: Not today"]]);
    expect(recorded).toContainEqual(["approval_refused", "ada", "Not today"]);
  });

  const edited = { name: "write", args: { path: "a" } };
  it.each([
    ["without the option", yes, { approver: "ada" }],
    ["with other arguments", { decisions: [{ type: "edit", editedAction: edited }] }, loop],
    ["for several calls", { decisions: [{ type: "approve" }, { type: "approve" }] }, loop],
    ["without a decision", { decisions: [] }, loop],
    ["in text", { decisions: ["approve"] }, loop],
  ])("runs nothing %s", async (name, resume, options) => {
    const { ran, recorded } = await resumed(name, resume, options);
    expect(ran).toEqual([]);
    expect(recorded).not.toContainEqual(expect.arrayContaining(["approval_granted"]));
  });

  it("answers a request that has the fields of LangChain's own", async () => {
    const model = fakeModel()
      .respondWithTools([{ name: "write", args: { path: "ask-1" }, id: "c1" }])
      .respond(new AIMessage("done"));
    const write = tool(() => "written", {
      ...{ name: "write", description: "write", schema: z.object({ path: z.string() }) },
    });
    const interruptOn = { write: { allowedDecisions: ["approve", "reject"], description: "Why" } };
    const own = createAgent({
      ...{ model, tools: [write], checkpointer: new MemorySaver() },
      // Its types do not fit `exactOptionalPropertyTypes`.
      middleware: [
        humanInTheLoopMiddleware({ interruptOn } as never) as unknown as AgentMiddleware,
      ],
    });
    const { actionRequests, reviewConfigs } = requestIn(await own.invoke(go, thread));
    const { request } = await resumed("request", yes, loop);
    expect(request).toMatchObject({ reviewConfigs, question: expect.any(String) });
    const { reason } = request as HITLRequest & { readonly reason: string };
    expect(request.actionRequests).toEqual([{ ...actionRequests[0], description: reason }]);
  });
});
