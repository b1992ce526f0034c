import { describe, expect, it } from "vitest";
import { decideGate, openGates, waiveCheck } from "../src/index.ts";
import { TEXT, bench, plan, planned, reviewed, type Bench } from "./kit.ts";

const AGAIN = TEXT.replace(
  "  - { from: REVIEW, to: COMPLETE,",
  "  - { from: REVIEW, to: PLAN, gate: review_approved }\n  - { from: REVIEW, to: COMPLETE,",
);

const inReview = async (text?: string): Promise<Bench> => {
  const made = await bench(text === undefined ? {} : { text });
  await made.goTo("REVIEW");
  await made.review();
  return made;
};

describe("a yes", () => {
  it("to one transition does not count for another that the same gate guards", async () => {
    const { ask, approve, run, contract } = await inReview(AGAIN);
    expect((await ask("PLAN", reviewed)).blocked).toEqual(["gate_pending approval"]);
    await approve("review_approved", "Rita", "review_agent");
    const other = await ask("COMPLETE", reviewed);
    expect([other.decision.effect, other.blocked]).toEqual(["deny", ["gate_pending approval"]]);
    expect(openGates(run.view, contract)).toMatchObject([{ to: "COMPLETE", approvals: [] }]);
  });

  it("to what was shown does not cover a later request", async () => {
    const { ask, run, contract } = await inReview(AGAIN);
    await ask("PLAN", reviewed);
    const [
      { task, gate, artifacts, tree, to } = { task: "", gate: "", artifacts: "", tree: "", to: "" },
    ] = openGates(run.view, contract);
    await ask("COMPLETE", reviewed);
    const late = decideGate(run, {
      task,
      gate,
      artifacts,
      tree,
      to,
      by: "Rita",
      role: "review_agent",
      verdict: "approved",
    });
    await expect(late).rejects.toFailWith("BYLAW_EVENT_REFUSED");
  });
});

it("a person cannot waive a check of a gate through another gate with its name", async () => {
  const text = TEXT.replaceAll("review_approved", "REVIEW")
    .replace("approvers: [review_agent, human]", "approvers: [review_agent]")
    .replace(
      "  - { from: REVIEW, to: COMPLETE,",
      "  - { from: REVIEW, to: PLAN }\n  - { from: REVIEW, to: COMPLETE,",
    );
  const { run } = await inReview(text);
  const reason =
    "The reviewers were wrong about this, which was agreed with all of them in a meeting.";
  const waiver = {
    task: "t1",
    gate: "REVIEW",
    check: "no_blocking_issues",
    by: "Pat",
    reason,
    expires_at: "2026-01-02T00:00:00Z",
  };
  for (const role of ["human", "review_agent"])
    await expect(waiveCheck(run, { ...waiver, role }), role).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
});

it("a no stands, whatever is requested meanwhile", async () => {
  const { ask, approve, run, contract } = await bench();
  await ask("PLAN", {});
  await ask("TDD", planned);
  const no = {
    task: "t1",
    gate: "plan_approval",
    by: "Pat",
    role: "human",
    verdict: "rejected",
    reason: "no",
  } as const;
  await decideGate(run, no);
  expect((await ask("TDD", planned)).decision.code).toBe("gate_blocked");
  const other = { ...planned, plan_document: { ...plan, title: "Something else" } };
  expect((await ask("TDD", other)).decision.code).toBe("gate_pending");
  await approve("plan_approval", "Olga", "orchestrator");
  expect((await ask("TDD", planned)).text).toContain("`Pat` rejected gate");
  // The open request stays open, with its yes.
  expect(openGates(run.view, contract, { task: "t1" })).toEqual(openGates(run.view, contract));
  expect(openGates(run.view, contract, { task: "t2" })).toEqual([]);
  expect(openGates(run.view, contract)).toMatchObject([{ approvals: [{ by: "Olga" }] }]);
  await decideGate(run, no);
  for (const artifacts of [planned, other])
    expect((await ask("TDD", artifacts)).decision.code).toBe("gate_blocked");
});
