import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMPLETED_PHASE } from "@bylaw/contract";
import { ENFORCEMENT_MODES } from "@bylaw/kernel";
import { decideGate, openGates, waiveCheck } from "../src/index.ts";
import { createMemoryStore } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { GREEN, TEXT, bench, planned, reviewed, built, type Bench } from "./kit.ts";

const CODE = "export const greet = (name) => `Hello ${name}`;\n";

const inReview = async (text?: string): Promise<Bench> => {
  const made = await bench(text === undefined ? {} : { text });
  await made.goTo("REVIEW");
  await made.review();
  return made;
};

describe("a yes", () => {
  it("covers the workspace as shown: a later change is asked about again (WF-119)", async () => {
    const { ask, put, approve, run, contract, folder } = await bench();
    await ask("PLAN", {});
    await ask("TDD", planned);
    await approve("plan_approval", "Pat");
    const [shown] = openGates(run.view, contract);
    put("docs/plan.md", "another plan");
    const { text, blocked } = await ask("TDD", planned);
    expect(blocked).toEqual(["gate_pending approval"]);
    expect(text).toMatch(/workspace changed after gate `plan_approval` was opened .* and has 0/);
    expect(openGates(run.view, contract)).toMatchObject([
      { approvals: [], artifacts: shown?.artifacts },
    ]);
    // A decision about the earlier workspace does not cover this one.
    const late = {
      task: "t1",
      gate: "plan_approval",
      by: "Olga",
      role: "human",
      verdict: "approved",
    } as const;
    await expect(decideGate(run, { ...late, tree: shown?.tree ?? null })).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
    await expect(
      decideGate(run, { ...late, artifacts: `sha256:${"0".repeat(64)}` }),
    ).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    // Restoring the old workspace does not restore the old yes.
    rmSync(join(folder, "docs"), { recursive: true });
    expect((await ask("TDD", planned)).text).toContain("and has 0");
  });

  it("needs a workspace that can be read", async () => {
    const { ask } = await bench();
    await ask("PLAN", {});
    const { blocked, text } = await ask("TDD", planned, { host: { workspace: "/nowhere/at/all" } });
    expect(blocked).toEqual(["gate_blocked way"]);
    expect(text).toMatch(/cannot be read/);
  });
});

describe("what passed its tests", () => {
  it("is what is approved: another workspace is stale, says so, and opens the way back", async () => {
    const { ask, put, approve, run, contract } = await inReview();
    put("src/a.js", `${CODE}// and a backdoor\n`);
    const stale = await ask("COMPLETE", reviewed);
    expect([stale.decision.code, stale.blocked]).toEqual([
      "gate_stale",
      ["gate_stale tree_unchanged"],
    ]);
    expect(stale.text).toMatch(/differs from the one that was tested/);
    expect(openGates(run.view, contract)).toEqual([]);
    // Once restored, it continues.
    put("src/a.js", CODE);
    expect((await ask("COMPLETE", reviewed)).blocked).toEqual(["gate_pending approval"]);
    await approve("review_approved", "Rita", "review_agent");
    put("src/a.js", `${CODE}// and a backdoor\n`);
    expect((await ask("COMPLETE", reviewed)).blocked).toEqual(["gate_stale tree_unchanged"]);
    expect((await ask("IMPL", {})).decision.effect).toBe("allow");
  });

  it("cannot be replaced by a new test run in phases that write nothing", async () => {
    const { ask, put, observe } = await inReview();
    put("src/a.js", `${CODE}// and a backdoor\n`);
    await observe(GREEN);
    expect((await ask("COMPLETE", reviewed)).blocked).toEqual(["gate_stale tree_unchanged"]);
  });

  it("can be replaced when the task goes back to write", async () => {
    const { ask, put, observe, review } = await inReview();
    await review({ verdict: "rejected", blocking_issues: ["too short"] });
    await ask("IMPL", {});
    put("src/a.js", `${CODE}// longer\n`);
    await observe(GREEN);
    await ask("REVIEW", built);
    await review();
    expect((await ask("COMPLETE", reviewed)).blocked).toEqual(["gate_pending approval"]);
  });

  it("is what is completed, if the last phase writes nothing but history", async () => {
    const { ask, put, approve } = await inReview();
    await ask("COMPLETE", reviewed);
    await approve("review_approved", "Rita", "review_agent");
    expect((await ask("COMPLETE", reviewed)).decision.effect).toBe("allow");
    put("src/a.js", `${CODE}// and a backdoor\n`);
    expect((await ask(COMPLETED_PHASE, {})).blocked).toEqual(["gate_stale tree_unchanged"]);
    put("src/a.js", CODE);
    expect((await ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("can be waived by a person, for this gate", async () => {
    const { ask, put, run, approve } = await inReview();
    put("src/a.js", `${CODE}// a line that a person wrote\n`);
    const reason =
      "The line in src/a.js is mine: a comment that legal wants before the release goes out.";
    const waiver = {
      task: "t1",
      gate: "review_approved",
      check: "tree_unchanged",
      by: "Rita",
      role: "human",
      reason,
    };
    await waiveCheck(run, { ...waiver, expires_at: "2026-01-02T00:00:00Z" });
    const { blocked, told } = await ask("COMPLETE", reviewed);
    expect([blocked, told]).toEqual([["gate_pending approval"], ["gate_waived tree_unchanged"]]);
    await approve("review_approved", "Rolf", "review_agent");
    expect((await ask("COMPLETE", reviewed)).decision.effect).toBe("allow");
    expect((await ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("is decided the same in every mode (WF-117)", async () => {
    const came: unknown[] = [];
    for (const enforcement_mode of ENFORCEMENT_MODES) {
      const place = { folder: temporaryFolder(), store: createMemoryStore() };
      const { goTo, review, run } = await bench(place);
      await goTo("REVIEW");
      await review();
      await run.close();
      const { ask, put } = await bench({ ...place, config: { enforcement_mode } });
      put("src/a.js", `${CODE}// and a backdoor\n`);
      const { decision } = await ask("COMPLETE", reviewed);
      came.push([
        decision.effect,
        decision.code,
        decision.votes.map(({ code }) => code),
        decision.applied,
      ]);
    }
    const votes = ["gate_stale", "rule_allowed"];
    expect(came).toEqual([
      ["deny", "gate_stale", votes, "deny"],
      ["deny", "gate_stale", votes, "allow"],
      ["deny", "gate_stale", votes, "allow"],
    ]);
  });

  it("does not exist if no tests run", async () => {
    const { run, ask, contract, put } = await bench({
      text: TEXT.replace(/^test_command:\n( .*\n)+/m, "evidence: reported\n"),
    });
    await ask("PLAN", {});
    await ask("TDD", planned);
    expect(openGates(run.view, contract)).toMatchObject([{ tree: null }]);
    await decideGate(run, {
      task: "t1",
      gate: "plan_approval",
      by: "Pat",
      role: "human",
      verdict: "approved",
    });
    put("docs/note.md", "x");
    expect((await ask("TDD", planned)).text).toContain("and has 1");
  });
});
