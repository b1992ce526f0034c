import { chainEvents } from "@bylaw/log";
import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStatus, statusSchema } from "../src/index.ts";
import { agentOf, drafts, logOf, statusOf, violation, type Sketch } from "./kit.ts";

const AGENTS = ["agent_a", "agent_b", "__proto__", "constructor", "7", 'x": []\n', "\u202eevil"];
const TYPES = readCases<string>(import.meta, "types");
const json = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.nat(9),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
);
const value = fc.oneof(
  json,
  fc.array(json, { maxLength: 3 }),
  fc.dictionary(fc.string(), json, { maxKeys: 2 }),
);
const FIELDS = readCases<string>(import.meta, "fields");
const details = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 8 });
const sketch: fc.Arbitrary<Sketch> = fc.tuple(
  fc.constantFrom(...TYPES),
  fc.option(fc.constantFrom(...AGENTS)),
  fc.oneof(
    details,
    fc.record({
      ...Object.fromEntries(Object.entries(violation()).map(([key, of]) => [key, fc.constant(of)])),
    }),
  ),
  fc.constantFrom("t1", "t2", "__proto__"),
) as fc.Arbitrary<Sketch>;

describe("the status of a log", () => {
  it("is the same byte for byte however the log was added, and always fits its schema", () => {
    fc.assert(
      fc.property(
        fc.array(sketch, { maxLength: 40 }),
        fc.array(fc.nat(40), { maxLength: 5 }),
        (sketches, cuts) => {
          const events = chainEvents(undefined, drafts(sketches));
          const whole = createStatus();
          whole.add(events);
          const parts = createStatus();
          for (const cut of cuts.toSorted((one, other) => one - other)) {
            parts.add(events.slice(0, cut));
            parts.text();
          }
          parts.add(events);
          expect(parts.text()).toBe(whole.text());
          expect(statusSchema.safeParse(whole.value()).error).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is written in parts that are never mutated and make up its text, for lists of any length and any `keep`", () => {
    const events = logOf(
      ...Array.from({ length: 700 }, (_, index): Sketch => {
        const agent = AGENTS[index % 3] ?? null;
        if (index % 50 === 7) return ["answer_accepted", agent, { label: `agent${index}` }, "t1"];
        if (index % 50 === 9)
          return ["vote_accepted", agent, { voted_for: AGENTS[0] ?? "", label: "x" }, "t1"];
        const buffer_preview =
          index % 99 === 0 ? "\u{1F600}".repeat(500) : `${index} `.repeat(index % 120);
        return ["enforcement", agent, violation({ buffer_preview, round: 1 + (index % 7) }), "t1"];
      }),
    );
    for (const keep of [undefined, 0, 1, 30, 10_000]) {
      const status = createStatus({ keep });
      const taken: (readonly [parts: readonly Uint8Array[], text: string])[] = [];
      for (const [index, event] of events.entries()) {
        status.add([event]);
        if (index % 37 === 0) taken.push([status.parts(), status.text()]);
      }
      for (const [at, [parts, text]] of taken.entries()) {
        expect(Buffer.concat(parts).toString()).toBe(text);
        const anew = createStatus({ keep });
        anew.add(events.slice(0, at * 37 + 1));
        expect(anew.text()).toBe(text);
      }
      expect(statusSchema.safeParse(status.value()).error).toBeUndefined();
    }
  });

  it("has each event once, whatever is added twice", () => {
    const events = logOf(["enforcement", "agent_a", violation()]);
    const status = createStatus();
    status.add(events);
    status.add(events);
    expect(status.value().agents["agent_a"]?.reliability.total_enforcement_retries).toBe(1);
    expect(status.head).toBe(2);
  });

  it("contains nothing that an editor or a terminal acts on, and no entry that an agent invented", () => {
    const hostile = '\u001b[2J\u202e"enforcement_attempts": []\u2028';
    const events = logOf([
      "enforcement",
      hostile,
      violation({ error_message: hostile, tool_calls: [hostile] }),
    ]);
    const status = createStatus();
    status.add(events);
    expect(status.text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(Object.keys(status.value().agents)).toEqual([hostile]);
    expect(status.value().agents[hostile]?.reliability.enforcement_attempts[0]?.error_message).toBe(
      hostile,
    );
  });

  it("sorts violations correctly, whatever the names in a host's object", () => {
    const docker_health = { reliability: { enforcement_attempts: [] } };
    const events = logOf(
      ["infrastructure_event", "agent_a", { kind: "mcp_disconnected", docker_health }],
      ["enforcement", "agent_a", violation()],
    );
    const agent = agentOf(events);
    expect(agent.infrastructure_events[0]?.docker_health).toEqual(docker_health);
    expect(agent.reliability.enforcement_attempts).toHaveLength(1);
  });

  it("fits its schema even with invented numbers", () => {
    const huge = { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 1, estimated_cost: 1e308 };
    const events = logOf(
      ...["agent_a", "agent_a", "agent_b"].flatMap(
        (agent) =>
          [
            ["model_usage", agent, huge],
            [
              "enforcement",
              agent,
              violation({ buffer_chars: Number.MAX_SAFE_INTEGER, round: Number.MAX_SAFE_INTEGER }),
            ],
          ] as const,
      ),
    );
    expect(statusSchema.safeParse(statusOf(events)).error).toBeUndefined();
  });

  it("MG-16 without events has no reason to be finished", () => {
    expect(statusOf([])).toMatchObject({
      finish_reason: null,
      is_complete: false,
      coordination: { active_agent: null },
      agents: {},
    });
  });

  it("MG-12 has timed out if a host says so, even with a winner", () => {
    const events = logOf(
      ["winner_selected", null, { agent: "agent_a", label: "agent1.1" }],
      ["run_finished", null, { reason: "timeout", details: "30 minutes" }],
    );
    expect(statusOf(events)).toMatchObject({
      finish_reason: "timeout",
      finish_reason_details: "30 minutes",
      is_complete: true,
    });
  });

  it("MG-13 is complete with a winner", () => {
    const events = logOf([
      "winner_selected",
      null,
      { agent: "agent_a", label: "agent1.1", preview: "a poem".repeat(100) },
    ]);
    const status = statusOf(events);
    expect(status).toMatchObject({
      finish_reason: "completed",
      finish_reason_details: "Winner: agent_a",
      is_complete: true,
      coordination: { phase: "presentation", is_final_presentation: true },
      results: { winner: "agent_a" },
    });
    expect(status.results.final_answer_preview).toHaveLength(200);
  });

  it("MG-14 is running until then, and says where it is", () => {
    const status = statusOf(logOf(["tool_allowed", "agent_a", { tool: "read_file" }]));
    expect(status).toMatchObject({
      finish_reason: "in_progress",
      is_complete: false,
      coordination: { active_agent: "agent_a" },
    });
    expect(status.finish_reason_details).toContain("Phase: ");
  });

  it("MG-15 has the finish before the rest", () => {
    const status = createStatus();
    status.add(logOf());
    expect(status.text().indexOf('"finish_reason"')).toBeGreaterThan(0);
    expect(status.text().indexOf('"finish_reason"')).toBeLessThan(status.text().indexOf('"meta"'));
  });

  it("MG-17 continues for the others when one agent is out", () => {
    const events = logOf(
      ["enforcement", "agent_a", violation({ final: true })],
      ["tool_allowed", "agent_b", { tool: "read_file" }],
    );
    expect(statusOf(events)).toMatchObject({
      finish_reason: "in_progress",
      is_complete: false,
      rounds: { by_outcome: { non_compliant: 1 } },
    });
  });

  it("MG-18 has the last vote of an agent, counted once", () => {
    const events = logOf(
      ["answer_accepted", "agent_a", { label: "agent1.1" }],
      ["answer_accepted", "agent_b", { label: "agent2.1" }],
      [
        "vote_accepted",
        "agent_c",
        { voted_for: "agent_b", label: "agent2.1", reason_preview: "better".repeat(50) },
      ],
      ["vote_accepted", "agent_c", { voted_for: "agent_a", label: "agent1.1" }],
    );
    const { agents, results, coordination } = statusOf(events);
    expect(agents["agent_c"]?.vote_cast).toEqual({
      voted_for_agent: "agent_a",
      voted_for_label: "agent1.1",
      reason_preview: "",
    });
    expect(results.votes).toEqual({ "agent1.1": 1 });
    expect(coordination).toMatchObject({ phase: "voting", completion_percentage: 50 });
  });

  it("MG-68 has no vote that a new answer cleared", () => {
    const events = logOf(
      ["answer_accepted", "agent_a", { label: "agent1.1" }],
      ["vote_accepted", "agent_b", { voted_for: "agent_a", label: "agent1.1" }],
      ["answer_accepted", "agent_a", { label: "agent1.2" }],
    );
    const { agents, results } = statusOf(events);
    expect(results.votes).toEqual({});
    expect(agents["agent_b"]?.vote_cast).toBeNull();
    expect(agents["agent_a"]).toMatchObject({
      answer_count: 2,
      latest_answer_label: "agent1.2",
      status: "answered",
    });
  });

  it("measures tools by the times of the log, and adds up what models cost", () => {
    const args = { path: "a.md" };
    const events = logOf(
      ["tool_allowed", "agent_a", { id: "1", tool: "read_file", server: "files", args }],
      ["tool_allowed", "agent_b", { id: "1", tool: "read_file", args }],
      ["tool_result", "agent_a", { id: "1", tool: "read_file", ok: true, result: "text" }],
      ["tool_result", "agent_b", { id: "1", tool: "read_file", ok: false, result: null }],
      ["tool_denied", "agent_a", { id: "2", tool: "bash", args: {} }],
      ["model_usage", "agent_a", { input_tokens: 100, output_tokens: 20, estimated_cost: 0.1 }],
      ["model_usage", "agent_b", { input_tokens: 1, output_tokens: 2, estimated_cost: 0.2 }],
    );
    const status = statusOf(events);
    expect(status.tools).toMatchObject({
      total_calls: 3,
      total_failures: 1,
      total_execution_time_ms: 4_000,
    });
    expect(status.tools.by_tool["read_file"]).toMatchObject({
      ...{
        call_count: 2,
        success_count: 1,
        failure_count: 1,
        avg_execution_time_ms: 2_000,
        tool_type: "mcp",
        total_output_chars: 6,
      },
    });
    expect(status.tools.by_tool["bash"]).toMatchObject({ call_count: 1, denied_count: 1 });
    expect(status.costs).toEqual({
      total_estimated_cost: 0.3,
      total_input_tokens: 101,
      total_output_tokens: 22,
    });
    expect(agentOf(events, "agent_b").tool_metrics.total_failures).toBe(1);
  });

  it("stays small if a model invents a name for every call", () => {
    const calls = Array.from(
      { length: 1_500 },
      (_, index) => ["tool_denied", "agent_a", { tool: `made-up-${index}` }] as const,
    );
    const { tools } = statusOf(logOf(...calls));
    expect(Object.keys(tools.by_tool)).toHaveLength(1_001);
    expect(tools.by_tool["(others)"]?.call_count).toBe(500);
    expect(tools.total_calls).toBe(1_500);
  });

  it("knows the phase of each task", () => {
    const enter = (task: string, to: string): Sketch => ["phase_entered", "dev", { to }, task];
    const events = logOf(
      enter("t1", "PLAN"),
      enter("t2", "PLAN"),
      enter("t1", "TDD"),
      enter("t2", "@completed"),
    );
    expect(statusOf(events).tasks).toEqual({
      planned: 3,
      completed: 1,
      by_phase: { TDD: 1, "@completed": 1 },
      open: [{ id: "t1", status: "working", phase: "TDD", agent: "dev" }],
      open_omitted: 0,
    });
  });
});
