import { deny, isJsonObject, type JsonObject, type LogEvent, type Response } from "@bylaw/kernel";
import { pluginOf, readCases } from "@bylaw/testing";
import { array, assert, constantFrom, integer, property, record as recordOf } from "fast-check";
import { describe, expect, it } from "vitest";
import { agentTurns, lostCharacters, turnOf, type Run } from "../src/index.ts";
import { logOf, open, opened } from "./run-kit.ts";

const CODES = [
  ...["no_workflow_tool", "no_tool_calls", "invalid_vote_id", "vote_no_answers", "vote_and_answer"],
  ...["answer_limit", "answer_novelty", "answer_duplicate", "unknown_tool"],
];
const codes = Object.fromEntries(
  ["stale_revision", "other.reason", ...CODES].map((code) => [code, code]),
);

/** Denies each response with the code that the host names, and sets the facts that a plugin may set. */
const refuser = pluginOf(
  "refuser",
  (kernel) => {
    kernel.prepare("turn", ({ host }) =>
      isJsonObject(host?.["turn"]) ? { turn: host["turn"] } : undefined,
    );
    kernel.hooks.onEnforcement.tap("t", ({ host }) => {
      const code = host?.["code"];
      return typeof code === "string"
        ? deny("Unexpected response", undefined, { code, message: `mend ${code}` })
        : undefined;
    });
    kernel.redact(
      ({ details }) =>
        JSON.parse(JSON.stringify(details).replaceAll(/KEY-\d{20}/g, "[gone]")) as JsonObject,
    );
  },
  { codes },
);
const refused = (code: string, fields: Partial<Response> = {}) => ({
  agent: "agent_a",
  host: { code },
  ...fields,
});
const detailsOf = async (run: Run, response: Omit<Response, "hook">): Promise<JsonObject> =>
  (await run.respond(response)).events[0]?.details ?? {};

describe("the event of a non-compliant response", () => {
  it("MG-01 MG-02 has every field, the error as it was said, and the time of the log", async () => {
    const run = await open({ plugins: [refuser] });
    const text = "x".repeat(1_500);
    const { events } = await run.respond(
      refused("unknown_tool", {
        tool_calls: [{ tool: "execute_command" }],
        text,
        attempt: 1,
        max_attempts: 3,
      }),
    );
    expect(events).toHaveLength(1);
    const [event] = events;
    const { decision: _, ...details } = event?.details ?? {};
    const { agent_id, timestamp } = event ?? ({} as Partial<LogEvent>);
    expect({ agent_id, timestamp }).toEqual({
      agent_id: "agent_a",
      timestamp: expect.stringMatching(/Z$/) as string,
    });
    expect(details).toEqual({
      ...{
        round: 1,
        attempt: 1,
        max_attempts: 3,
        reason: "unknown_tool",
        tool_calls: ["execute_command"],
        error_message: "mend unknown_tool",
      },
      ...{
        buffer_preview: "x".repeat(500),
        buffer_chars: 1_531,
        buffer_text: `${text}\n[Tool Call: execute_command()]`,
        recovery: "restart",
        final: false,
      },
    });
  });

  it("MG-03 is listed with the others of its round, in order", async () => {
    const { store, run } = await opened({ plugins: [refuser] });
    await run.respond(refused("unknown_tool"));
    await run.respond(refused("no_workflow_tool"));
    const reasons = (await logOf(store)).flatMap(({ event_type, details }) =>
      event_type === "enforcement" ? [[details["reason"], details["attempt"]]] : [],
    );
    expect(reasons).toEqual([
      ["unknown_tool", 1],
      ["no_workflow_tool", 2],
    ]);
  });

  it.each(CODES)("MG-05 is stored under its code: %s", async (code) => {
    expect(await detailsOf(await open({ plugins: [refuser] }), refused(code))).toMatchObject({
      reason: code,
    });
  });

  it("MG-20 has an empty list if no tool was called", async () => {
    expect(
      await detailsOf(await open({ plugins: [refuser] }), refused("no_tool_calls")),
    ).toMatchObject({ tool_calls: [], buffer_preview: "", buffer_chars: 0 });
  });

  it("removes secrets before it shortens the preview, so that no half of a secret remains", async () => {
    const run = await open({ plugins: [refuser] });
    for (let before = 470; before <= 500; before += 1) {
      const text = `${"x".repeat(before)}KEY-${"1".repeat(20)} and more`;
      const { buffer_preview: preview, buffer_chars: chars } = await detailsOf(
        run,
        refused("no_tool_calls", { text, max_attempts: 99 }),
      );
      expect(preview).not.toContain("KEY");
      expect(Array.from(String(preview)).length).toBeLessThanOrEqual(500);
      expect(chars).toBe(text.length);
    }
  });

  it("cuts no character in two, wherever the text for redactors ends", async () => {
    const run = await open({ plugins: [refuser] });
    for (const before of [16_382, 16_383, 16_384]) {
      const text = `${"x".repeat(before)}\u{1f600}\u{1f600}`;
      expect(
        await detailsOf(run, refused("no_tool_calls", { text, max_attempts: 99 })),
      ).toMatchObject({ buffer_chars: before + 2 });
    }
    const text = `${"\u{1f600}".repeat(600)}end`;
    expect(
      await detailsOf(run, refused("no_tool_calls", { text, max_attempts: 99 })),
    ).toMatchObject({ buffer_preview: "\u{1f600}".repeat(500), buffer_chars: 603 });
  });

  it("has a bounded size, whatever an agent calls", async () => {
    const tool_calls = Array.from({ length: 5_000 }, () => ({ tool: "y".repeat(5_000) }));
    const details = await detailsOf(
      await open({ plugins: [refuser] }),
      refused("no_workflow_tool", { tool_calls }),
    );
    expect(JSON.stringify(details).length).toBeLessThan(100_000);
  });

  it("ends the turn with the last attempt, whichever plugin refuses, unless the refusal costs no attempt", async () => {
    const run = await open({ plugins: [refuser] });
    expect(await detailsOf(run, refused("other.reason", { max_attempts: 1 }))).toMatchObject({
      final: true,
      recovery: "end",
    });
    expect(
      await detailsOf(run, refused("stale_revision", { agent: "b", max_attempts: 1 })),
    ).toMatchObject({ final: false, recovery: "restart" });
    expect(turnOf(run.view(agentTurns), "b")).toMatchObject({
      attempts: 0,
      free: 1,
      outcome: null,
    });
  });
});

describe("a compliant response", () => {
  it("is recorded with what ends the turn, and only with known fields", async () => {
    const run = await open({ plugins: [refuser] });
    const turn = {
      terminal: { kind: "vote", target: "agent1", reason: null },
      unknown_tools: ["x"],
      invented: true,
    };
    const { decision: _, ...details } = await detailsOf(run, { agent: "a", host: { turn } });
    expect(details).toEqual({
      round: 1,
      attempt: 1,
      terminal: turn.terminal,
      unknown_tools: ["x"],
    });
  });

  it("has no outcome if the turn continues", async () => {
    const run = await open({ plugins: [refuser] });
    await run.respond({ agent: "a", host: { turn: { progress: true } } });
    expect(turnOf(run.view(agentTurns), "a")).toMatchObject({ progress: 1, outcome: null });
    await run.respond({ agent: "a" });
    expect(turnOf(run.view(agentTurns), "a")).toMatchObject({ progress: 0, outcome: "ok" });
  });
});

describe("rounds", () => {
  it("MG-10 are counted for each agent, and attempts start again with each", async () => {
    const run = await open({ plugins: [refuser] });
    expect(await detailsOf(run, refused("unknown_tool", { round: 1 }))).toMatchObject({
      round: 1,
      attempt: 1,
    });
    expect(await detailsOf(run, refused("unknown_tool", { round: 2 }))).toMatchObject({
      round: 2,
      attempt: 1,
    });
    expect(turnOf(run.view(agentTurns), "agent_a")).toMatchObject({
      rounds: [1, 2],
      round: 2,
      attempts: 1,
    });
  });

  it("give no attempts back when they are over", async () => {
    const run = await open({ plugins: [refuser] });
    await run.respond(refused("unknown_tool", { round: 2 }));
    await run.respond(refused("unknown_tool", { round: 2 }));
    expect(await detailsOf(run, refused("unknown_tool", { round: 1 }))).toMatchObject({
      round: 1,
      attempt: 3,
      final: true,
    });
  });

  it("and outcomes follow from the log, for an agent of any name", () => {
    const event = recordOf({
      event_type: constantFrom(
        "response_accepted",
        "enforcement",
        "agent_dropped",
        "round_started",
        "tool_allowed",
      ),
      agent_id: constantFrom("a", "b", "__proto__", "constructor"),
      details: recordOf({
        round: integer({ min: 1, max: 4 }),
        final: constantFrom(true, false),
        reason: constantFrom("unknown_tool", "stale_revision"),
      }),
    });
    assert(
      property(array(event, { maxLength: 40 }), (given) => {
        const log = given.map((one, index): LogEvent => ({
          timestamp: "2026-01-01T00:00:00Z",
          sequence: index + 1,
          session_id: "s",
          task_id: null,
          ...one,
        }));
        // One event at a time, with the state converted to text in between, as in a snapshot.
        const folded = log.reduce(
          (state, one) => agentTurns.reduce(JSON.parse(JSON.stringify(state)) as typeof state, one),
          agentTurns.initial,
        );
        const whole = log.reduce((state, one) => agentTurns.reduce(state, one), agentTurns.initial);
        expect(JSON.stringify(folded)).toBe(JSON.stringify(whole));
        for (const agent of ["a", "b", "__proto__", "constructor"]) {
          const own = log.filter(({ agent_id }) => agent_id === agent);
          const { rounds, round, attempts } = turnOf(whole, agent);
          expect(rounds).toEqual([...new Set(rounds)].toSorted((left, right) => left - right));
          expect(round).toBe(rounds.at(-1) ?? 0);
          expect(attempts).toBeLessThanOrEqual(
            own.filter(({ event_type }) => event_type === "enforcement").length,
          );
        }
      }),
    );
  });
});

it("lost characters are those that the retry does not start with", () => {
  const rows = readCases<[JsonObject, number]>(import.meta, "rows");
  for (const [details, lost] of rows) expect(lostCharacters(details)).toBe(lost);
});
