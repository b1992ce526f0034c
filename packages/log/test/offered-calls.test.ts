import { allow, ask, createKernel, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";
import { OfferedCalls, isOfferedCall, openRun } from "../src/index.ts";
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
    {
      args: LEASED,
      decision: { effect: "allow", applied: "allow", code: "rule_allowed" },
      ...details,
    },
    agent,
  );

describe("a decision about an offered call", () => {
  it.each([
    ["allowed by a rule", allowed(), true],
    [
      "allowed by default",
      allowed({ decision: { effect: "allow", applied: "allow", code: "fallback" } }),
      false,
    ],
    [
      "allowed by a mode",
      allowed({ decision: { effect: "allow", applied: "allow", code: "mode_allowed" } }),
      false,
    ],
    [
      "left to the host",
      allowed({ decision: { effect: "ask_user", applied: "allow", code: "fallback" } }),
      false,
    ],
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

const rules = pluginOf(
  "rules",
  ({ hooks }) => {
    hooks.beforeToolCall.tap("tools", ({ tool }) => {
      if (tool === "free") return allow("Free.");
      return tool === "asked" ? ask("A person has to see this.") : undefined;
    });
  },
  { grants: true },
);

describe("an offered call in a run", () => {
  it.each([
    ["free", {}, "tool_allowed"],
    ["asked", {}, "tool_denied"],
    ["other", { fallback: "ask_user" }, "tool_denied"],
    ["other", { fallback: "allow" }, "tool_denied"],
    ["other", { approval_mode: "yolo" }, "tool_denied"],
    ["asked", { enforcement_mode: "permissive" }, "tool_denied"],
  ] as const)(
    "is on record as allowed only if a rule allows it: %s, %o",
    async (tool, more, type) => {
      const kernel = createKernel({ plugins: [rules], ...more });
      const run = await openRun(kernel, { run: "r" });
      for (const left_to_host of [false, true]) {
        const options = { offered: true, left_to_host, request_id: "1" };
        const { events, applied, decision } = await run.toolCall({ tool, args: {} }, options);
        expect(events.map(({ event_type }) => event_type)).toEqual([type]);
        expect(applied).toBe(type === "tool_allowed" ? "allow" : "deny");
        expect(decision.reason.includes("Only a rule can allow")).toBe(type === "tool_denied");
      }
    },
  );

  it("is on record as allowed after a person's yes to exactly this call", async () => {
    const run = await openRun(createKernel({ plugins: [rules] }), { run: "r" });
    const call = { tool: "asked", args: {} };
    const subject = { ...call, hook: "beforeToolCall" } as const;
    const expires_at = new Date(Date.parse(run.now()) + 60_000).toISOString();
    await run.approve({ subject, by: "ada", expires_at });
    expect((await run.toolCall(call, { offered: true })).applied).toBe("allow");
  });
});
