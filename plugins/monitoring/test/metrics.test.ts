import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measure, workflowMetrics } from "../src/index.ts";
import { blocked, contract, enter, logOf, metricsOf, type Sketch } from "./kit.ts";

const PLAN_BUILD = ["PLAN", "BUILD"] as const;
const tool = (second: number, phase: string | null, event_type: string, name: string): Sketch => [
  second,
  event_type,
  "t1",
  { tool: name, ...(phase === null ? {} : { phase }) },
];

describe("the measurements", () => {
  it("are how long tasks were in a phase before they left it", () => {
    const metrics = metricsOf(
      enter(0, "t1", "PLAN"),
      enter(10, "t2", "PLAN"),
      enter(30, "t1", "BUILD", "PLAN"),
      enter(20, "t2", "BUILD", "PLAN"),
      enter(90, "t1", "SHIP", "BUILD"),
    );
    expect(measure(metrics, contract).phase_transition_time).toEqual({
      PLAN: { count: 2, mean_seconds: 20, max_seconds: 30 },
      BUILD: { count: 1, mean_seconds: 60, max_seconds: 60 },
    });
  });

  it("are how often gates passed and blocked, of the requests that they answered", () => {
    const metrics = metricsOf(
      enter(0, "t1", "PLAN"),
      blocked(1, "t1", PLAN_BUILD, [{ code: "gate_blocked" }]),
      blocked(2, "t1", PLAN_BUILD, [{ code: "gate_pending" }]),
      blocked(3, "t1", PLAN_BUILD, [{ code: "gate_needs_human" }]),
      blocked(4, "t1", PLAN_BUILD, [{ code: "gate_stale" }]),
      // Notes, shadow rules and denials by others are no answer of a gate, so it passed.
      enter(5, "t1", "BUILD", "PLAN"),
    );
    expect(measure(metrics, contract)).toMatchObject({
      gate_pass_rate: { rate: 1 / 3, samples: 3 },
      gate_block_rate: { rate: 2 / 3, samples: 3 },
    });
  });

  it("do not count transitions without a gate, or the way back that a gate opens by its no", () => {
    const metrics = metricsOf(
      enter(0, "t1", "PLAN"),
      enter(1, "t1", "SHIP", "PLAN"),
      enter(2, "t2", "BUILD"),
      enter(3, "t2", "PLAN", "BUILD"),
    );
    expect(measure(metrics, contract)).toMatchObject({
      gate_pass_rate: { rate: null, samples: 0 },
      gate_block_rate: { rate: null, samples: 0 },
    });
  });

  it.each([
    ["a note", { code: "gate_warning", severity: "warning" }],
    ["a rule on trial", { code: "gate_blocked", shadow: true }],
    ["an allow", { code: "gate_blocked", effect: "allow" }],
  ] as const)("do not count %s as a block", (_, vote) => {
    const [first, entered] = [enter(0, "t1", "PLAN"), enter(1, "t1", "BUILD", "PLAN")];
    const noted = blocked(1, "t1", PLAN_BUILD, [vote])[3];
    const metrics = metricsOf(first, [entered[0], entered[1], entered[2], noted ?? {}]);
    expect(measure(metrics, contract)).toMatchObject({ gate_block_rate: { rate: 0, samples: 1 } });
  });

  it("count a block even if the mode let the task through", () => {
    const noted = blocked(1, "t1", PLAN_BUILD, [{ code: "gate_blocked" }])[3];
    const metrics = metricsOf(enter(0, "t1", "PLAN"), [1, "phase_entered", "t1", noted ?? {}]);
    expect(measure(metrics, contract)).toMatchObject({ gate_block_rate: { rate: 1, samples: 1 } });
  });

  it("are how often tools were requested in a phase, with the outcome", () => {
    const metrics = metricsOf(
      tool(0, "PLAN", "tool_allowed", "read_files"),
      tool(1, "PLAN", "tool_allowed", "read_files"),
      tool(2, "PLAN", "tool_denied", "bash"),
      tool(3, null, "tool_asked", "bash"),
    );
    expect(measure(metrics, contract).tool_usage_by_phase).toEqual({
      "": { bash: { allowed: 0, asked: 1, denied: 0 } },
      PLAN: {
        bash: { allowed: 0, asked: 0, denied: 1 },
        read_files: { allowed: 2, asked: 0, denied: 0 },
      },
    });
  });

  it("are how often an artifact was insufficient, once per request whatever is wrong with it", () => {
    const rule = { name: "plan_document" };
    const metrics = metricsOf(
      blocked(0, "t1", PLAN_BUILD, [
        { code: "artifact_invalid", rule },
        { code: "artifact_rule", rule },
      ]),
      blocked(1, "t1", PLAN_BUILD, [
        { code: "artifact_missing", rule },
        { code: "artifact_invalid", rule: { name: "other" } },
      ]),
    );
    expect(measure(metrics, contract).artifact_validation_failures).toEqual({
      total: 3,
      by_artifact: { plan_document: 2, other: 1 },
    });
  });

  it("are only those that the contract names", () => {
    const less = {
      ...contract,
      monitoring: { ...contract.monitoring, metrics: ["gate_pass_rate"] as const },
    };
    expect(Object.keys(measure(workflowMetrics.initial, less))).toEqual(["gate_pass_rate"]);
  });

  it("stay bounded if a model invents a name for every call", () => {
    const calls = Array.from({ length: 1_200 }, (_, index) =>
      tool(index, "PLAN", "tool_denied", `made-up-${index}`),
    );
    const uses = measure(metricsOf(...calls), contract).tool_usage_by_phase?.["PLAN"] ?? {};
    expect(Object.keys(uses)).toHaveLength(1_001);
    expect(uses["(others)"]?.denied).toBe(200);
  });
});

describe("the projection", () => {
  const value = fc.oneof(
    fc.string(),
    fc.nat(3),
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.dictionary(fc.string(), fc.string()),
  );
  const sketch = fc.tuple(
    fc.nat(100),
    fc.constantFrom(
      "phase_entered",
      "transition_blocked",
      "tool_allowed",
      "tool_denied",
      "toString",
      "other",
    ),
    fc.option(fc.constantFrom("t1", "t2", "__proto__")),
    fc.dictionary(fc.constantFrom("from", "to", "tool", "phase", "decision"), value),
  ) as fc.Arbitrary<Sketch>;

  it("is the same through a snapshot at any moment, whatever the log contains", () => {
    fc.assert(
      fc.property(fc.array(sketch, { maxLength: 30 }), fc.nat(30), (sketches, cut) => {
        const events = logOf(...sketches);
        const fold = (from: typeof workflowMetrics.initial, part: typeof events) =>
          part.reduce((state, event) => workflowMetrics.reduce(state, event), from);
        const whole = fold(workflowMetrics.initial, events);
        const kept = JSON.parse(
          JSON.stringify(fold(workflowMetrics.initial, events.slice(0, cut))),
        ) as typeof whole;
        expect(JSON.stringify(fold(kept, events.slice(cut)))).toBe(JSON.stringify(whole));
      }),
    );
  });

  it("shares unchanged parts: an event among ten thousand tasks makes few new objects", () => {
    const state = metricsOf(
      ...Array.from({ length: 10_000 }, (_, index) => enter(0, `t${index}`, "PLAN")),
    );
    const [event] = logOf(enter(1, "t5000", "BUILD", "PLAN"));
    if (event === undefined) throw new Error("Unexpected log without an event, expected one");
    const before = new Set<unknown>();
    const nodes = (tree: typeof state.tasks, visit: (node: unknown) => void): void => {
      if (tree === null) return;
      visit(tree);
      nodes(tree.left, visit);
      nodes(tree.right, visit);
    };
    nodes(state.tasks, (node) => before.add(node));
    let fresh = 0;
    nodes(
      workflowMetrics.reduce(state, event).tasks,
      (node) => (fresh += before.has(node) ? 0 : 1),
    );
    expect(before.size).toBe(10_000);
    expect(fresh).toBeLessThan(30);
  });
});
