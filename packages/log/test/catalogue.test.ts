import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COORDINATOR_TYPES, RUN_EVENTS, RUN_TYPES, createCatalogue } from "../src/index.ts";
import { verify, linesOf, event, start } from "./log-kit.ts";

const strict = createCatalogue({ mode: "strict" });
const SESSION = { plan_file: "plan.md", total_tasks: 3 };

describe("the catalogue", () => {
  it("has the 53 types of spec/003, each once, and the types that a run writes", () => {
    expect(COORDINATOR_TYPES).toHaveLength(53);
    expect(strict.types.size).toBe(53 + RUN_EVENTS.length);
    expect(RUN_TYPES.map(({ name }) => name)).toEqual([...RUN_EVENTS]);
  });

  it("says for each type when it is recorded", () => {
    expect(COORDINATOR_TYPES.filter(({ when }) => !/^[a-z].*[^.]$/.test(when))).toEqual([]);
  });

  it("suggests the nearest type for an unknown one", () => {
    expect(strict.check("develper_dispatched", {})?.message).toBe(
      "Unknown event type `develper_dispatched`. Did you mean `developer_dispatched`?",
    );
    expect(strict.check("quite_another_thing", {})?.message).not.toMatch(/Did you mean/);
    expect(strict.check("x".repeat(1_000_000), {})?.message.length).toBeLessThan(200);
  });

  it.each([
    ["a missing field", { plan_file: "plan.md" }],
    ["an unknown field", { ...SESSION, tasks: 3 }],
    ["a value of another type", { ...SESSION, total_tasks: "3" }],
    ["a negative count", { ...SESSION, total_tasks: -1 }],
  ])("finds %s under `strict`, and not under `lenient`", (_, details) => {
    expect(strict.check("session_start", details)?.kind).toBe("details");
    expect(createCatalogue().check("session_start", details)).toBeUndefined();
  });

  it("accepts details that fit", () => {
    expect(strict.check("session_start", SESSION)).toBeUndefined();
  });

  it("accepts redacted details, and finds what else is wrong with them", () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const ready = { task_id: "t", agent_id: "a", files_modified: [{ redacted: digest }] };
    expect(
      strict.check("developer_ready_for_review", { ...ready, redacted: ["files_modified.0"] }),
    ).toBeUndefined();
    expect(
      strict.check("tool_result", {
        id: "c",
        tool: "t",
        ok: true,
        result: "x",
        redacted: ["result"],
      }),
    ).toBeUndefined();
    expect(
      strict.check("developer_ready_for_review", { ...ready, agent_id: 7, redacted: ["agent_id"] })
        ?.message,
    ).not.toMatch(/files/);
    for (const other of [{ redacted: "nothing" }, { redacted: digest, more: 1 }, 7]) {
      expect(
        strict.check("developer_ready_for_review", {
          ...ready,
          files_modified: [other],
          redacted: [],
        })?.kind,
      ).toBe("details");
    }
    expect(strict.check("developer_ready_for_review", ready)?.kind).toBe("details");
  });

  it("accepts more types, and checks their details against their schema", () => {
    const catalogue = createCatalogue({
      mode: "strict",
      types: [{ name: "deployed", details: z.strictObject({ to: z.string() }) }],
    });
    expect(catalogue.check("deployed", { to: "production" })).toBeUndefined();
    expect(catalogue.check("deployed", {})?.kind).toBe("details");
    expect(catalogue.check("deploied", {})?.message).toContain("Did you mean `deployed`?");
  });

  it("refuses another type with a name that is taken", () => {
    expect(() =>
      createCatalogue({ types: [{ name: "task_complete", details: z.unknown() }] }),
    ).toFailWith("BYLAW_OPTIONS_INVALID");
  });

  it("reports errors under `strict` for what is a warning or nothing under `lenient`", () => {
    const lines = linesOf([start(), event("task_unblocked"), event("usage_check")]);
    const severities = (mode: "strict" | "lenient") =>
      verify(lines, { catalogue: createCatalogue({ mode }) }).map(({ line, rule, severity }) => [
        line,
        rule,
        severity,
      ]);
    expect(severities("lenient")).toEqual([[2, "UNKNOWN_EVENT_TYPE", "warning"]]);
    expect(severities("strict")).toEqual([
      [2, "UNKNOWN_EVENT_TYPE", "error"],
      [3, "INVALID_DETAILS", "error"],
    ]);
  });
});
