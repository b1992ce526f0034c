import { createKernel, deny, type JsonObject, type LogEvent } from "@bylaw/kernel";
import {
  agentTurns,
  lostCharacters,
  createMemoryStore,
  openRun,
  turnOf,
  type Run,
} from "@bylaw/log";
import { pluginOf, readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reasons } from "../src/index.ts";
import { answer, call, open, vote, workflow_tools } from "./kit.ts";

const available_tools = ["read_file", "vote", "new_answer"];
const CALLED = "\n[Tool Call: execute_command({})]";
const bad = { agent: "a", tool_calls: [call("execute_command")], available_tools };
const good = { agent: "a", tool_calls: [answer("done")], available_tools };
const host = (event_type: string, details: JsonObject) => ({
  event_type,
  agent_id: "a",
  task_id: null,
  details,
});
const detailsOf = async (
  outcome: Promise<{ readonly events: readonly LogEvent[] }>,
): Promise<JsonObject> => (await outcome).events[0]?.details ?? {};
const turn = (run: Run) => turnOf(run.view(agentTurns), "a");

describe("attempts", () => {
  it("are counted by the log if the host gives no count", async () => {
    const run = await open();
    expect(await detailsOf(run.respond(bad))).toMatchObject({
      round: 1,
      attempt: 1,
      max_attempts: 3,
      recovery: "restart",
      final: false,
    });
    expect(await detailsOf(run.respond(bad))).toMatchObject({ round: 1, attempt: 2, final: false });
    expect(await detailsOf(run.respond({ ...bad, agent: "b" }))).toMatchObject({
      round: 1,
      attempt: 1,
    });
  });

  it("MG-45 the third violation is on record, is final, and ends the agent's round", async () => {
    const run = await open();
    const outcomes = [await run.respond(bad), await run.respond(bad), await run.respond(bad)];
    expect(outcomes.map(({ decision }) => decision.reason.split(":")[0])).toEqual([
      "Retry (1/3)",
      "Retry (2/3)",
      "Failed (3/3)",
    ]);
    expect(outcomes.map(({ events }) => events[0]?.details["final"])).toEqual([false, false, true]);
    expect(outcomes[2]?.events[0]).toMatchObject({
      event_type: "enforcement",
      details: { reason: "unknown_tool", recovery: "end" },
    });
    expect(turn(run)).toMatchObject({ outcome: "non_compliant", attempts: 3 });
    const late = await run.respond(good);
    expect(late.decision).toMatchObject({ effect: "deny", code: "turn_over", recovery: "end" });
    expect(turn(run).outcome).toBe("non_compliant");
  });

  it("MG-46 a violation and then a valid call is ok", async () => {
    const run = await open();
    await run.respond(bad);
    expect(turn(run).outcome).toBeNull();
    expect(await detailsOf(run.respond(good))).toMatchObject({
      round: 1,
      attempt: 2,
      terminal: { kind: "answer", content: "done" },
    });
    expect(turn(run)).toMatchObject({ outcome: "ok", attempts: 1 });
  });

  it("MG-10 begin anew with each round, for this agent only", async () => {
    const run = await open();
    await run.respond(bad);
    await run.respond({ ...bad, agent: "b" });
    await run.record([host("round_started", { round: 2 })]);
    expect(await detailsOf(run.respond(bad))).toMatchObject({ round: 2, attempt: 1 });
    expect(await detailsOf(run.respond({ ...bad, agent: "b" }))).toMatchObject({
      round: 1,
      attempt: 2,
    });
    expect(turn(run)).toMatchObject({ rounds: [1, 2], attempts: 1, outcome: null });
  });

  it("are not restored by a host that counts from one again", async () => {
    const run = await open();
    await run.respond({ ...bad, round: 1, attempt: 1 });
    await run.respond({ ...bad, round: 1, attempt: 1 });
    expect(await detailsOf(run.respond({ ...bad, round: 1, attempt: 1 }))).toMatchObject({
      attempt: 3,
      final: true,
    });
  });

  it("are counted for an agent without a name too", async () => {
    const run = await open();
    const { agent: _, ...nameless } = bad;
    await run.respond(nameless);
    await run.respond(nameless);
    expect(await detailsOf(run.respond(nameless))).toMatchObject({ attempt: 3, final: true });
  });

  it("are not restored by another task, even if responses arrive at the same moment", async () => {
    const store = createMemoryStore();
    const run = await openRun(createKernel({ plugins: [reasons({ workflow_tools })] }), {
      run: "r",
      store,
    });
    await Promise.all(
      ["t1", "t2", undefined].map((task) =>
        run.respond({ ...bad, ...(task !== undefined && { task }) }),
      ),
    );
    const attempts = (await store.events("r", 0, 100)).flatMap(({ details: { attempt, final } }) =>
      attempt === undefined ? [] : [[attempt, final]],
    );
    expect(attempts).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  it("are spent for this round, whatever the host records about the end of the turn", async () => {
    const run = await open();
    for (const one of [bad, bad, bad]) await run.respond(one);
    await run.record([host("agent_dropped", { reason: "cancelled" })]);
    expect(turn(run).outcome).toBe("non_compliant");
    for (const again of [good, { ...good, round: 1, attempt: 1 }]) {
      expect((await run.respond(again)).decision).toMatchObject({
        effect: "deny",
        code: "turn_over",
        recovery: "end",
      });
    }
    await run.record([host("round_started", { round: 1 })]);
    expect((await run.respond(good)).decision.code).toBe("turn_over");
    await run.record([host("round_started", { round: 2 })]);
    expect((await run.respond(good)).applied).toBe("allow");
  });

  it("end when the agent is dropped: late responses count for nothing until another round", async () => {
    const run = await open();
    await run.respond(bad);
    await run.record([host("agent_dropped", { reason: "timeout" })]);
    expect((await run.respond(good)).decision).toMatchObject({
      effect: "deny",
      code: "turn_over",
      recovery: "end",
    });
    expect(turn(run).outcome).toBe("dropped");
    expect((await run.respond({ ...good, round: 2 })).applied).toBe("allow");
    expect(turn(run).outcome).toBe("ok");
    await run.record([{ ...host("agent_dropped", { reason: "timeout" }), agent_id: "b" }]);
    expect((await run.respond({ ...good, agent: "b" })).decision.code).toBe("turn_over");
  });

  it.each(readCases<object>(import.meta, "refused-fields"))("are refused as %j", async (fields) => {
    const run = await open();
    expect((await run.respond({ ...good, ...(fields as object) })).decision).toMatchObject({
      effect: "deny",
      code: "invalid_call",
    });
  });

  it("are spent by the codes of other plugins too, which are recorded unchanged", async () => {
    const own = pluginOf(
      "own",
      ({ hooks }) =>
        hooks.onEnforcement.tap("length", ({ text = "" }) =>
          text.length > 9
            ? deny("Unexpected length", undefined, { code: "own.too_long" })
            : undefined,
        ),
      { codes: { "own.too_long": "The text is too long" } },
    );
    const run = await openRun(createKernel({ plugins: [reasons({ workflow_tools }), own] }), {
      run: "r",
    });
    const last = await run.respond({ ...good, agent: "b", text: "much too long", max_attempts: 1 });
    expect(last.decision).toMatchObject({ code: "own.too_long", recovery: "end" });
    expect(await detailsOf(run.respond({ ...good, text: "much too long" }))).toMatchObject({
      reason: "own.too_long",
      attempt: 1,
      recovery: "restart",
    });
    expect(turn(run)).toMatchObject({ attempts: 1, outcome: null });
  });

  it("are as many as the host says", async () => {
    const run = await open();
    expect(await detailsOf(run.respond({ ...bad, max_attempts: 1 }))).toMatchObject({
      attempt: 1,
      max_attempts: 1,
      final: true,
    });
  });

  it("continue in the next session", async () => {
    const store = createMemoryStore();
    const config = { plugins: [reasons({ workflow_tools })] };
    await (await openRun(createKernel(config), { run: "r", store })).respond(bad);
    const again = await openRun(createKernel(config), { run: "r", store });
    expect(await detailsOf(again.respond(bad))).toMatchObject({ attempt: 2 });
  });

  it("MG-47 three bad answers in one response cost one", async () => {
    const run = await open();
    await run.respond({ agent: "a", tool_calls: [vote("x"), answer("x"), answer("y"), vote("z")] });
    expect(turn(run).attempts).toBe(1);
  });
});

describe("failures that are not the agent's doing", () => {
  it("MG-49 a broken stream without a call is one event of each kind, and one attempt", async () => {
    const run = await open();
    await run.record([
      host("infrastructure_event", { kind: "api_error", message: "stream ended", round: 1 }),
    ]);
    expect(await detailsOf(run.respond({ agent: "a", text: "half" }))).toMatchObject({
      reason: "no_tool_calls",
      attempt: 1,
    });
    expect(turn(run).attempts).toBe(1);
  });

  it("MG-50 a recovered connection costs no attempt", async () => {
    const run = await open();
    await run.respond(bad);
    for (const kind of ["connection_recovery", "mcp_disconnected", "api_error"])
      await run.record([host("infrastructure_event", { kind })]);
    expect(turn(run)).toMatchObject({ attempts: 1, outcome: null });
    expect(await detailsOf(run.respond(bad))).toMatchObject({ attempt: 2 });
  });

  it("MG-11 the health of a container is kept if there is one", async () => {
    const run = await open();
    const docker_health = { exists: true, exit_code: 137 };
    const [event] = await run.record([
      host("infrastructure_event", { kind: "mcp_disconnected", docker_health }),
    ]);
    expect(event?.details).toEqual({ kind: "mcp_disconnected", docker_health });
    await expect(
      run.record([host("infrastructure_event", { kind: "unknown_tool" })]),
    ).rejects.toThrow("kind");
  });

  it("are never recorded as a reason: no agent gets one under another name", async () => {
    const run = await open();
    await expect(run.record([host("enforcement", { reason: "unknown_tool" })])).rejects.toThrow(
      "enforcement",
    );
    await expect(run.record([host("response_accepted", {})])).rejects.toThrow("response_accepted");
  });
});

describe("work that continues", () => {
  const reading = { agent: "a", tool_calls: [call("read_file")], available_tools };

  it("MG-43 is accepted without an attempt, does not end the turn, and is limited", async () => {
    const run = await open({ progress: { tools: ["read_file"], in_a_row: 2 } });
    expect(await detailsOf(run.respond(reading))).toMatchObject({ attempt: 1, progress: true });
    expect(turn(run)).toMatchObject({ outcome: null, attempts: 0, progress: 1 });
    await run.respond(reading);
    expect(await detailsOf(run.respond(reading))).toMatchObject({
      reason: "no_workflow_tool",
      attempt: 1,
    });
  });

  it("ends after a bounded number of responses, whatever an agent that never finishes calls", async () => {
    const options = { progress: { tools: ["read_file"], in_a_row: 2 } };
    const responses = fc.array(fc.constantFrom(reading, bad, { agent: "a", text: "x" }), {
      minLength: 9,
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(responses, async (given) => {
        const run = await open(options);
        for (const one of given) await run.respond(one);
        expect(turn(run).outcome).toBe("non_compliant");
      }),
      { numRuns: 50 },
    );
  });
});

describe("the content of the event", () => {
  it("MG-04 a preview of 500 whole characters and the full count", async () => {
    const run = await open();
    const details = await detailsOf(run.respond({ agent: "a", text: "\u{1f600}".repeat(1_000) }));
    expect(details).toMatchObject({
      buffer_preview: "\u{1f600}".repeat(500),
      buffer_chars: 1_000,
      reason: "no_tool_calls",
    });
  });

  it("exactly the fields of an enforcement event, besides the decision", async () => {
    const run = await open();
    const { decision, ...details } = await detailsOf(
      run.respond({ ...bad, text: "I should read" }),
    );
    expect(decision).toMatchObject({ code: "unknown_tool" });
    expect(details).toEqual({
      ...{
        round: 1,
        attempt: 1,
        max_attempts: 3,
        reason: "unknown_tool",
        tool_calls: ["execute_command"],
      },
      ...{
        error_message: (decision as JsonObject)["message"],
        buffer_preview: `I should read${CALLED}`,
        buffer_chars: 13 + CALLED.length,
      },
      ...{ recovery: "restart", final: false },
    });
  });

  it("only unknown names for an unknown tool, and all names for an accepted response", async () => {
    const run = await open();
    const mixed = [call("read_file"), call("execute_command")];
    expect(
      await detailsOf(run.respond({ agent: "a", tool_calls: mixed, available_tools })),
    ).toMatchObject({ tool_calls: ["execute_command"] });
    const accepted = await detailsOf(
      run.respond({ agent: "a", tool_calls: [...mixed, answer("x")], available_tools }),
    );
    expect(accepted).toMatchObject({
      unknown_tools: ["execute_command"],
      terminal: { kind: "answer" },
    });
  });

  it("the lost text: none inline, none that begins the retry, all of it at the end", async () => {
    const run = await open();
    const text = "x".repeat(40);
    const inline = await detailsOf(run.respond({ ...bad, text, host: { inline: true } }));
    const carried = await detailsOf(run.respond({ agent: "a", text }));
    const ended = await detailsOf(run.respond({ agent: "a", text }));
    expect(
      [inline, carried, ended].map((details) => [
        details["buffer_chars"],
        details["recovery"],
        lostCharacters(details),
      ]),
    ).toEqual([
      [40 + CALLED.length, "inline", 0],
      [40, "restart", 0],
      [40, "end", 40],
    ]);
    const other = await open();
    expect(lostCharacters(await detailsOf(other.respond({ ...bad, text })))).toBe(
      40 + CALLED.length,
    );
  });
});

it("the outcome is a total function of the log", async () => {
  const kinds = ["bad", "good", "start", "drop", "infra"] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { maxLength: 12 }), async (steps) => {
      const store = createMemoryStore();
      const run = await openRun(createKernel({ plugins: [reasons({ workflow_tools })] }), {
        run: "r",
        store,
      });
      for (const step of steps) {
        const { round } = turn(run);
        if (step === "bad") await run.respond(bad);
        else if (step === "good") await run.respond(good);
        else if (step === "start") await run.record([host("round_started", { round: round + 1 })]);
        else if (step === "drop") await run.record([host("agent_dropped", { reason: "timeout" })]);
        else await run.record([host("infrastructure_event", { kind: "api_error" })]);
      }
      const log = await store.events("r", 0, 1_000);
      const types = ["response_accepted", "enforcement", "agent_dropped", "round_started"];
      // Events after the end of a turn do not change how it ended.
      const own = log.filter(
        ({ agent_id, event_type, details }) =>
          agent_id === "a" && types.includes(event_type) && details["reason"] !== "turn_over",
      );
      const begun = own.findLastIndex(({ event_type }) => event_type === "round_started");
      const spent = own.slice(begun + 1).some(({ details }) => details["final"] === true);
      const last = own.at(-1)?.event_type ?? "";
      expect(turn(run).outcome).toBe(
        spent
          ? "non_compliant"
          : ({ response_accepted: "ok", agent_dropped: "dropped" }[last] ?? null),
      );
      // The same log gives the same state, byte for byte.
      const replayed = log.reduce(
        (state, event) => agentTurns.reduce(state, event),
        agentTurns.initial,
      );
      expect(JSON.stringify(replayed)).toBe(JSON.stringify(run.view(agentTurns)));
    }),
    { numRuns: 60 },
  );
});
