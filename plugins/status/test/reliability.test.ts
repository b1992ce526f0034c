import { describe, expect, it } from "vitest";
import { agentOf, logOf, statusOf, violation } from "./kit.ts";

const EMPTY = {
  enforcement_attempts: [],
  by_round: {},
  unknown_tools: [],
  workflow_errors: [],
  total_enforcement_retries: 0,
  total_buffer_chars_lost: 0,
  outcome: null,
};

describe("the reliability of an agent", () => {
  it("MG-01 MG-02 has one record per violation, with every field and the time of the log", () => {
    const { reliability } = agentOf(
      logOf(["enforcement", "agent_a", violation({ buffer_chars: 1_500 })]),
    );
    expect(reliability.enforcement_attempts).toEqual([
      {
        round: 1,
        attempt: 1,
        max_attempts: 3,
        reason: "unknown_tool",
        tool_calls: ["execute_command"],
        error_message:
          "Retry (1/3): Called execute_command (not workflow). Required: vote or new_answer",
        buffer_preview: "I should read",
        buffer_chars: 1_500,
        recovery: "restart",
        final: false,
        timestamp: Date.parse("2026-01-17T09:00:01Z") / 1_000,
      },
    ]);
  });

  it("MG-03 keeps the violations of a round in order", () => {
    const events = logOf(
      ["enforcement", "agent_a", violation()],
      [
        "enforcement",
        "agent_a",
        violation({ attempt: 2, reason: "no_tool_calls", tool_calls: [] }),
      ],
    );
    expect(
      agentOf(events).reliability.enforcement_attempts.map(({ attempt, reason }) => [
        attempt,
        reason,
      ]),
    ).toEqual([
      [1, "unknown_tool"],
      [2, "no_tool_calls"],
    ]);
  });

  it("MG-04 shows 500 whole characters and counts all of them", () => {
    const text = "🦉".repeat(600);
    const { reliability } = agentOf(
      logOf(["enforcement", "agent_a", violation({ buffer_preview: text, buffer_chars: 1_000 })]),
    );
    const [attempt] = reliability.enforcement_attempts;
    expect(attempt?.buffer_preview).toBe("🦉".repeat(500));
    expect(attempt?.buffer_chars).toBe(1_000);
  });

  it("MG-05 keeps a reason under its code, apart from failures around the agent", () => {
    const codes = [
      "no_workflow_tool",
      "no_tool_calls",
      "invalid_vote_id",
      "vote_no_answers",
      "vote_and_answer",
      "answer_limit",
    ];
    const more = ["answer_novelty", "answer_duplicate", "unknown_tool"];
    const kinds = ["api_error", "connection_recovery", "mcp_disconnected"];
    const agent = agentOf(
      logOf(
        ...[...codes, ...more].map(
          (reason) => ["enforcement", "agent_a", violation({ reason })] as const,
        ),
        ...kinds.map((kind) => ["infrastructure_event", "agent_a", { kind }] as const),
      ),
    );
    expect(agent.reliability.enforcement_attempts.map(({ reason }) => reason)).toEqual([
      ...codes,
      ...more,
    ]);
    expect(agent.infrastructure_events.map(({ kind }) => kind)).toEqual(kinds);
    expect(agent.reliability.total_enforcement_retries).toBe(9);
    expect(agent.total_infrastructure_events).toBe(3);
  });

  it("MG-06 MG-09 exists for an agent without violations too, and is empty", () => {
    const { agents } = statusOf(
      logOf(
        ["consensus_opened", null, { agents: ["agent_a", "agent_b"] }],
        ["enforcement", "agent_a", violation()],
      ),
    );
    expect(agents["agent_b"]?.reliability).toEqual(EMPTY);
    expect(agents["agent_b"]?.status).toBe("waiting");
    expect(agents["agent_a"]?.reliability.total_enforcement_retries).toBe(1);
  });

  it("MG-07 MG-08 adds up rounds, unknown tools, errors, retries and lost characters", () => {
    const { reliability } = agentOf(
      logOf(
        ["enforcement", "agent_a", violation({ buffer_chars: 500 })],
        [
          "enforcement",
          "agent_a",
          violation({
            attempt: 2,
            reason: "no_workflow_tool",
            tool_calls: ["read_file"],
            buffer_chars: 300,
          }),
        ],
        ["response_accepted", "agent_a", { round: 1, attempt: 3 }],
        [
          "enforcement",
          "agent_a",
          violation({ round: 2, reason: "vote_no_answers", tool_calls: ["vote"], buffer_chars: 0 }),
        ],
        [
          "enforcement",
          "agent_a",
          violation({
            round: 2,
            attempt: 2,
            reason: "invalid_vote_id",
            tool_calls: ["vote"],
            buffer_chars: 0,
          }),
        ],
        ["response_accepted", "agent_a", { round: 2, attempt: 3 }],
      ),
    );
    expect(reliability).toMatchObject({
      by_round: {
        1: { count: 2, reasons: ["unknown_tool", "no_workflow_tool"] },
        2: { count: 2, reasons: ["vote_no_answers", "invalid_vote_id"] },
      },
      unknown_tools: ["execute_command"],
      workflow_errors: ["vote_no_answers", "invalid_vote_id"],
      total_enforcement_retries: 4,
      total_buffer_chars_lost: 800,
      outcome: "ok",
    });
  });

  it("MG-10 lists every round that was entered, also one without a violation", () => {
    const { reliability, round_timing } = agentOf(
      logOf(
        ["enforcement", "agent_a", violation()],
        ["response_accepted", "agent_a", { round: 1, attempt: 2 }],
        ["response_accepted", "agent_a", { round: 2, attempt: 1 }],
        ["enforcement", "agent_a", violation({ round: 3 })],
      ),
    );
    expect(reliability.by_round).toEqual({
      1: { count: 1, reasons: ["unknown_tool"] },
      2: { count: 0, reasons: [] },
      3: { count: 1, reasons: ["unknown_tool"] },
    });
    expect(reliability.enforcement_attempts.at(-1)?.attempt).toBe(1);
    expect(round_timing.round_number).toBe(3);
  });

  it("MG-11 has the health of a container if it was given, else no key", () => {
    const health = { exists: true, status: "exited", exit_code: 137, oom_killed: true };
    const { infrastructure_events } = agentOf(
      logOf(
        ["infrastructure_event", "agent_a", { kind: "mcp_disconnected", docker_health: health }],
        ["infrastructure_event", "agent_a", { kind: "mcp_disconnected" }],
      ),
    );
    expect(infrastructure_events.map(({ docker_health }) => docker_health)).toEqual([
      health,
      undefined,
    ]);
    expect(infrastructure_events[1]).not.toHaveProperty("docker_health");
  });

  it("MG-19 counts a reason twice that occurs twice in a round, and names it once", () => {
    const twice = logOf(
      ["enforcement", "agent_a", violation()],
      ["enforcement", "agent_a", violation({ attempt: 2 })],
    );
    expect(agentOf(twice).reliability.by_round).toEqual({
      1: { count: 2, reasons: ["unknown_tool"] },
    });
  });

  it.each([[null], ["execute_command"], [{ redacted: "sha256:00" }]])(
    "MG-20 reads %j as no tool calls",
    (tool_calls) => {
      const { reliability } = agentOf(
        logOf(["enforcement", "agent_a", violation({ tool_calls, reason: "no_tool_calls" })]),
      );
      expect(reliability.enforcement_attempts[0]?.tool_calls).toEqual([]);
    },
  );

  it("MG-45 has the violation that spent the last attempt, and says so", () => {
    const attempts = [1, 2, 3].map(
      (attempt) =>
        ["enforcement", "agent_a", violation({ attempt, final: attempt === 3 })] as const,
    );
    const agent = agentOf(logOf(...attempts));
    expect(agent.reliability.enforcement_attempts.map(({ final }) => final)).toEqual([
      false,
      false,
      true,
    ]);
    expect(agent).toMatchObject({
      status: "non_compliant",
      times_restarted: 2,
      error: { type: "unknown_tool" },
      reliability: { outcome: "non_compliant", total_enforcement_retries: 2 },
    });
  });

  it("MG-45 says how a turn ended, whatever comes after its end", () => {
    const spent = [
      "enforcement",
      "agent_a",
      violation({ attempt: 3, final: true, recovery: "end" }),
    ] as const;
    const dropped = ["agent_dropped", "agent_a", { reason: "cancelled" }] as const;
    const late = [
      "enforcement",
      "agent_a",
      violation({ attempt: 3, reason: "turn_over", final: true, recovery: "end" }),
    ] as const;
    expect(agentOf(logOf(spent, dropped, late))).toMatchObject({
      ...{ status: "non_compliant", error: { type: "unknown_tool" } },
      reliability: {
        outcome: "non_compliant",
        total_enforcement_retries: 0,
        workflow_errors: [],
        by_round: { 1: { count: 2 } },
      },
    });
    expect(agentOf(logOf(dropped, late))).toMatchObject({
      ...{ status: "dropped", error: { type: "cancelled" } },
      reliability: { outcome: "dropped", total_enforcement_retries: 0 },
    });
  });

  it("MG-46 is ok after a violation and a valid response, and open in between", () => {
    const first = ["enforcement", "agent_a", violation()] as const;
    expect(agentOf(logOf(first))).toMatchObject({
      status: "restarting",
      reliability: { outcome: null },
    });
    expect(
      agentOf(logOf(first, ["response_accepted", "agent_a", { round: 1, attempt: 2 }])),
    ).toMatchObject({ status: "ok", reliability: { outcome: "ok", total_enforcement_retries: 1 } });
  });

  it("MG-48 names an unknown tool next to a valid vote, without a violation", () => {
    const { reliability } = agentOf(
      logOf([
        "response_accepted",
        "agent_a",
        { round: 1, attempt: 1, unknown_tools: ["execute_command"] },
      ]),
    );
    expect(reliability).toMatchObject({
      unknown_tools: ["execute_command"],
      total_enforcement_retries: 0,
      outcome: "ok",
    });
  });

  it("is dropped for a cancelled agent, and running again when it begins another round", () => {
    const dropped = ["agent_dropped", "agent_a", { reason: "timeout" }] as const;
    expect(agentOf(logOf(dropped))).toMatchObject({
      status: "dropped",
      error: { type: "timeout" },
      reliability: { outcome: "dropped" },
    });
    expect(agentOf(logOf(dropped, ["round_started", "agent_a", { round: 2 }]))).toMatchObject({
      error: null,
      reliability: { outcome: null, by_round: { 2: { count: 0, reasons: [] } } },
    });
  });

  it("MG-43 is still running after a response that is only progress", () => {
    const { reliability } = agentOf(
      logOf(["response_accepted", "agent_a", { round: 1, attempt: 1, progress: true }]),
    );
    expect(reliability).toMatchObject({
      by_round: { 1: { count: 0, reasons: [] } },
      outcome: null,
    });
  });

  it("includes an agent that the host does not name", () => {
    const { agents } = statusOf(
      logOf(
        ["enforcement", null, violation()],
        ["response_accepted", null, { round: 1, attempt: 2 }],
      ),
    );
    expect(Object.keys(agents)).toEqual([""]);
    expect(agents[""]?.reliability).toMatchObject({ total_enforcement_retries: 1, outcome: "ok" });
  });

  it("counts no characters as lost inline, or if the retry began with them", () => {
    const agent = agentOf(
      logOf(
        ["enforcement", "agent_a", violation({ recovery: "inline", buffer_chars: 100 })],
        [
          "enforcement",
          "agent_a",
          violation({ attempt: 2, reason: "no_tool_calls", buffer_chars: 75 }),
        ],
        [
          "enforcement",
          "agent_a",
          violation({ attempt: 3, buffer_chars: 20, recovery: "end", final: true }),
        ],
      ),
    );
    expect(agent.reliability.total_buffer_chars_lost).toBe(20);
    expect(agent.total_buffer_chars_carried).toBe(175);
  });

  it("lists the last ones if it is limited, and counts all of them", () => {
    const many = Array.from(
      { length: 500 },
      (_, index) => ["enforcement", "agent_a", violation({ round: index + 1 })] as const,
    );
    const bounded = agentOf(logOf(...many), "agent_a", { keep: 20 });
    const whole = agentOf(logOf(...many));
    expect(bounded.reliability.enforcement_attempts).toEqual(
      whole.reliability.enforcement_attempts.slice(-20),
    );
    expect(bounded.enforcement_attempts_omitted).toBe(480);
    expect({ ...bounded.reliability, enforcement_attempts: [] }).toEqual({
      ...whole.reliability,
      enforcement_attempts: [],
    });
    expect(
      agentOf(logOf(...many), "agent_a", { keep: 0 }).reliability.enforcement_attempts,
    ).toEqual([]);
  });

  it("shows nothing that an agent wrote if previews are off, and never what was redacted", () => {
    const digest = { redacted: "sha256:1111" };
    const events = logOf(
      ["enforcement", "agent_a", violation()],
      ["enforcement", "agent_a", violation({ buffer_preview: digest })],
    );
    const shown = (previews: boolean) =>
      agentOf(events, "agent_a", { previews }).reliability.enforcement_attempts.map(
        ({ buffer_preview }) => buffer_preview,
      );
    expect(shown(false)).toEqual([null, null]);
    expect(shown(true)).toEqual(["I should read", "[redacted sha256:1111]"]);
  });
});
