import { createKernel, type Decision, type Json, type JsonObject } from "@bylaw/kernel";
import { agentTurns, createMemoryStore, openRun, turnOf, type Run } from "@bylaw/log";
import { describe, expect, it } from "vitest";
import { reasons, retryInput } from "../src/index.ts";
import { answer, open, workflow_tools } from "./kit.ts";

const available_tools = ["read_file", "vote", "new_answer"];
const good = { agent: "a", tool_calls: [answer("done")], available_tools };

describe("an unreadable response", () => {
  it.each<[string, () => object]>([
    [
      "a key that would be a prototype",
      () => ({
        tool_calls: [{ tool: "vote", args: JSON.parse('{"__proto__": 1}') as JsonObject }],
      }),
    ],
    ["half of a character", () => ({ text: "\ud83d", tool_calls: [{ tool: "vote" }] })],
    [
      "a number that is none",
      () => ({ tool_calls: [{ tool: "vote", args: { agent_id: Number.POSITIVE_INFINITY } }] }),
    ],
    [
      "arguments without a bottom",
      () => ({
        tool_calls: [{ tool: "vote", args: JSON.parse("[".repeat(200) + "]".repeat(200)) as Json }],
      }),
    ],
    ["a tool that is no text", () => ({ tool_calls: [{ tool: 5 }] })],
    ["calls that are no list", () => ({ tool_calls: {} })],
    ["a text that is none", () => ({ text: 5 })],
  ])("spends an attempt, and ends the turn at the last: %s", async (_, unreadable) => {
    const run = await open();
    const response = { agent: "a", available_tools, ...unreadable() } as Parameters<
      Run["respond"]
    >[0];
    const outcomes = [
      await run.respond(response),
      await run.respond(response),
      await run.respond(response),
    ];
    expect(outcomes.map(({ decision }) => [decision.code, decision.recovery])).toEqual([
      ["invalid_call", "restart"],
      ["invalid_call", "restart"],
      ["invalid_call", "end"],
    ]);
    expect(
      outcomes.map(({ events }) => [
        events[0]?.agent_id,
        events[0]?.details["attempt"],
        events[0]?.details["final"],
      ]),
    ).toEqual([
      ["a", 1, false],
      ["a", 2, false],
      ["a", 3, true],
    ]);
    expect(turnOf(run.view(agentTurns), "a")).toMatchObject({
      outcome: "non_compliant",
      attempts: 3,
    });
    expect(retryInput(outcomes[2]?.decision ?? ({} as Decision), {}).kind).toBe("none");
    expect((await run.respond(good)).decision.code).toBe("turn_over");
  });

  it("is recorded as far as it is readable", async () => {
    const run = await open();
    const text = `${"x".repeat(600)}\ud83d`;
    expect(
      (await run.respond({ agent: "a", text, tool_calls: [{ tool: "vote" }, { tool: "\udc00" }] }))
        .events[0]?.details,
    ).toMatchObject({
      ...{
        reason: "invalid_call",
        buffer_chars: 601 + "\n[Tool Call: vote()]\n[Tool Call: \ufffd()]".length,
        buffer_preview: "x".repeat(500),
        tool_calls: ["vote", "\ufffd"],
      },
    });
  });
});

it("a response that cannot be recorded ends the turn; otherwise a host without its log calls its model for ever", async () => {
  const store = createMemoryStore();
  let gone = false;
  const failing: typeof store = {
    ...store,
    commit: (draft) => (gone ? Promise.reject(new Error("the disk is gone")) : store.commit(draft)),
  };
  const run = await openRun(createKernel({ plugins: [reasons({ workflow_tools })] }), {
    run: "r",
    store: failing,
  });
  gone = true;
  const { decision, applied } = await run.respond(good);
  expect([applied, decision.code, retryInput(decision, good).kind]).toEqual([
    "deny",
    "engine_absent",
    "none",
  ]);
});
