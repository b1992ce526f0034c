import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { OfferedCalls, isOfferedCall } from "../src/index.ts";
import { describe, expect, it } from "vitest";

const LEASED = { command: "git push --force-with-lease" };

let sequence = 0;
/** A decision about a call with the id `c`. */
const decided = (event_type: string, details: JsonObject, agent_id = "ann"): LogEvent => ({
  ...{ timestamp: "2026-01-17T09:00:00Z", session_id: "11111111-1111-4111-8111-111111111111" },
  ...{ sequence: (sequence += 1), event_type, agent_id, task_id: null },
  details: { id: "c", tool: "bash", ...details },
});
const offering = (event_type = "tool_denied", args: JsonObject = { command: "git push --force" }) =>
  decided(event_type, { args, decision: { effect: "deny", instead: LEASED } });
const allowed = (details: JsonObject = {}, agent?: string): LogEvent =>
  decided(
    "tool_allowed",
    { args: LEASED, decision: { effect: "allow", code: "rule_allowed" }, ...details },
    agent,
  );

describe("a decision about an offered call", () => {
  it.each([
    ["allowed by a rule", allowed(), true],
    ["allowed by default", allowed({ decision: { effect: "allow", code: "fallback" } }), false],
    ["allowed by a mode", allowed({ decision: { effect: "allow", code: "mode_allowed" } }), false],
    ["left to the host", allowed({ decision: { effect: "ask_user", code: "fallback" } }), false],
    ["asked about", decided("tool_asked", { args: LEASED, decision: {} }), false],
    ["denied", decided("tool_denied", { args: LEASED, decision: {} }), false],
  ])("is found, and is the call that runs only if a rule allowed it: %s", (_, event, taken) => {
    const offer = offering();
    expect(isOfferedCall(offer, event)).toMatchObject({ sequence: offer.sequence, taken });
  });

  it("keeps the arguments that the offer leaves alone", () => {
    const offer = offering("tool_asked", { command: "git push --force", timeout: 5 });
    expect(isOfferedCall(offer, allowed({ args: { ...LEASED, timeout: 5 } }))).toBeDefined();
    expect(isOfferedCall(offer, allowed())).toBeUndefined();
  });

  it.each([
    ["another id", offering(), allowed({ id: "d" })],
    ["no id", offering(), allowed({ id: null })],
    ["another agent", offering(), allowed({}, "bob")],
    ["another tool", offering(), allowed({ tool: "shell" })],
    ["other arguments", offering(), allowed({ args: { command: "git push" } })],
    ["an offer of what was asked for", offering("tool_denied", LEASED), allowed()],
    ["a call that was allowed anyway", offering("tool_allowed"), allowed()],
    ["an event that is no decision", offering(), decided("tool_result", { args: LEASED })],
    ["an offer of the wrong shape", allowed({ decision: { instead: [1] } }), allowed()],
  ])("is not: %s", (_, offer, event) => {
    expect(isOfferedCall(offer, event)).toBeUndefined();
  });

  it("is found once, among the decisions of others, and only for the latest decision about the call", () => {
    const calls = new OfferedCalls();
    const offer = offering();
    const other = decided("tool_denied", { id: "d", args: {}, decision: {} });
    expect([offer, other].map((event) => calls.add(event))).toEqual([undefined, undefined]);
    expect(calls.add(allowed())).toMatchObject({ sequence: offer.sequence });
    expect(calls.add(allowed())).toBeUndefined();
    calls.add(offering());
    calls.add(decided("tool_denied", { args: { command: "rm" }, decision: {} }));
    expect(calls.add(allowed())).toBeUndefined();
  });

  it("is not looked for among more than the last 1,000 offers", () => {
    const calls = new OfferedCalls();
    const named = (id: string) => ({ ...offering(), details: { ...offering().details, id } });
    for (let at = 0; at <= 1_000; at += 1) calls.add(named(`${at}`));
    expect(calls.add(allowed({ id: "0" }))).toBeUndefined();
    expect(calls.add(allowed({ id: "1" }))).toBeDefined();
  });
});
