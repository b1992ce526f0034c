import { describe, expect, it } from "vitest";
import { COMPLETED_PHASE } from "@bylaw/contract";
import { ENFORCEMENT_MODES } from "@bylaw/kernel";
import { describeExamples } from "@bylaw/testing";
import { examples } from "../examples.ts";
import { bench, built, planned, reviewed, scope, TEXT, GREEN } from "./kit.ts";

describeExamples(examples, { describe, it });

describe("a task", () => {
  it("passes all of its gates, and goes back after a no (WF-118)", async () => {
    const { goTo, ask, review, approve, observe } = await bench();
    await goTo("REVIEW");
    await review({ verdict: "rejected", blocking_issues: ["names are not escaped"] });
    const stopped = await ask("COMPLETE", reviewed);
    expect(stopped.blocked).toEqual([
      "gate_blocked no_blocking_issues",
      "gate_blocked review_report.no_blocking_issues",
    ]);
    expect(stopped.text).toContain("Found 1 blocking issue(s): names are not escaped");
    expect((await ask("IMPL", {})).decision.effect).toBe("allow");
    await observe(GREEN);
    expect((await ask("REVIEW", built)).decision.effect).toBe("allow");
    await review();
    expect((await ask("COMPLETE", reviewed)).blocked).toEqual(["gate_pending approval"]);
    await approve("review_approved", "Rita", "review_agent");
    expect((await ask("COMPLETE", reviewed)).decision.effect).toBe("allow");
    expect((await ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("gets everything that blocks it at once (WF-85), and warnings too (WF-86)", async () => {
    const { goTo, ask } = await bench();
    await goTo("PLAN");
    const plan_document = {
      acceptance_criteria: [{ criterion: "x" }, "y"],
      open_questions: ["Why?", { question: "When?" }],
    };
    const { blocked, told, text, decision } = await ask("TDD", {
      plan_document,
      scope_definition: { ...scope, out_of_scope: [] },
    });
    const criteria = "gate_blocked plan_has_acceptance_criteria";
    expect(blocked).toEqual([criteria, criteria, criteria, "gate_blocked scope_is_bounded"]);
    expect(told).toEqual(["gate_warning no_open_questions"]);
    expect(text).toContain("Consider the open questions: 2 question(s) are open: Why?; When?");
    expect(decision.effect).toBe("deny");
    expect(decision.rule).toMatchObject({
      name: "PLAN.gates.plan_approval.plan_has_acceptance_criteria",
      line: 17,
    });
  });

  it("is not stopped by warnings, which are recorded (WF-86)", async () => {
    const { goTo, ask, observe, put } = await bench();
    await goTo("IMPL");
    put("src/a.js", "// const old = greet(1);\nexport const greet = (name) => `Hello ${name}`;\n");
    await observe(GREEN, { coverage: 12.5 });
    const { decision, told, text } = await ask("REVIEW", built);
    expect(decision.effect).toBe("allow");
    expect(told).toEqual([
      "gate_warning coverage_threshold_met",
      "gate_warning no_commented_out_code",
    ]);
    expect(text).toContain("Coverage is low: Coverage is 12.5 %, below 80 %");
    expect(text).toContain("src/a.js:1 is commented-out code");
  });

  it("has the same decision in every mode, with three effects (WF-117)", async () => {
    const came = [];
    for (const enforcement_mode of ENFORCEMENT_MODES) {
      const { ask } = await bench({ config: { enforcement_mode } });
      await ask("PLAN", {});
      const { decision } = await ask("TDD", {});
      came.push([decision.effect, decision.code, decision.applied]);
    }
    expect(came).toEqual([
      ["deny", "gate_blocked", "deny"],
      ["deny", "gate_blocked", "allow"],
      ["deny", "gate_blocked", "allow"],
    ]);
  });

  it("that passed a gate in spite of its no has no approved plan (WF-117)", async () => {
    const { ask, observe, put } = await bench({ config: { enforcement_mode: "permissive" } });
    for (const to of ["PLAN", "TDD", "IMPL"]) await ask(to, planned);
    put("src/a.js", "export const a = 1;\n");
    await observe(GREEN);
    expect((await ask("REVIEW", built)).text).toContain("No approved plan is recorded");
  });
});

it("a contract that names a missing gate or check does not load (WF-84)", async () => {
  await expect(
    bench({ text: TEXT.replace("gate: tests_written }", "gate: absent }") }),
  ).rejects.toMatchObject({ findings: [{ code: "unknown_gate" }] });
  await expect(
    bench({ text: TEXT.replace("check: no_skipped_tests", "check: changelog_updated") }),
  ).rejects.toMatchObject({ findings: [{ code: "unknown_check" }] });
  await expect(
    bench({ text: TEXT.replace("rule: matches_plan", "rule: matches_nothing") }),
  ).rejects.toMatchObject({ findings: [{ code: "unknown_rule" }] });
});
