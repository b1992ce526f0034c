import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import { createMemoryStore } from "@bylaw/log";
import { decideGate, escalateGates, gateStates, openGates } from "../src/index.ts";
import {
  bench,
  built,
  GREEN,
  plan,
  planned,
  reviewed,
  TEXT,
  type Bench,
  type BenchOptions,
} from "./kit.ts";

const opened = async (options: BenchOptions = {}): Promise<Bench> => {
  const made = await bench(options);
  await made.ask("PLAN", {});
  await made.ask("TDD", planned);
  return made;
};
const refused = (rule: string): object => ({
  code: "BYLAW_EVENT_REFUSED",
  fix: `See rule ${rule} of @bylaw/plugin-gates/${rule === "expiry" ? "waivers" : "decisions"}`,
});

describe("an approval gate", () => {
  it("is pending until enough different approvers said yes (WF-119)", async () => {
    const { ask, approve, run, contract } = await opened();
    const first = await ask("TDD", planned);
    expect(first.decision).toMatchObject({ effect: "deny", code: "gate_pending" });
    expect(openGates(run.view, contract)).toEqual([
      expect.objectContaining({
        task: "t1",
        gate: "plan_approval",
        phase: "PLAN",
        to: "TDD",
        agent: "ann",
        quorum: 2,
        approvers: ["human", "orchestrator"],
        approvals: [],
        opened_at: "2026-01-01T10:00:00.000Z",
        expires_at: "2026-01-01T11:00:00.000Z",
      }),
    ]);
    await approve("plan_approval", "Pat");
    expect((await ask("TDD", planned)).text).toContain("and has 1");
    await approve("plan_approval", "Olga", "orchestrator");
    expect((await ask("TDD", planned)).decision.effect).toBe("allow");
    expect(openGates(run.view, contract)).toEqual([]);
  });

  it("refuses a yes from the wrong role, from somebody who did the work, and twice from one person (WF-119)", async () => {
    const { approve, run, ask } = await opened();
    await run.toolCall({ agent: "Bob", task: "t1", tool: "read_files", args: { path: "a" } });
    await expect(approve("plan_approval", "Pat", "review_agent")).rejects.toMatchObject(
      refused("role"),
    );
    for (const by of ["ann", " ANN\u200b", "\uff41nn", "bob"])
      await expect(approve("plan_approval", by), by).rejects.toMatchObject(refused("own-work"));
    await approve("plan_approval", "Pat");
    for (const by of ["Pat", "pat ", "P\u00adAT"])
      await expect(approve("plan_approval", by, "orchestrator"), by).rejects.toMatchObject(
        refused("one-vote"),
      );
    await expect(approve("plan_approval", "\u200b \u200b")).rejects.toMatchObject(refused("name"));
    expect((await ask("TDD", planned)).decision.code).toBe("gate_pending");
  });

  it("never opens for an agent without a name, because the author of the work must be known", async () => {
    const { ask, run, contract, folder } = await bench();
    await ask("PLAN", {});
    for (const agent of ["", " ", "\u200b"])
      expect((await ask("TDD", planned, { agent })).decision.code, agent).toBe("gate_blocked");
    const nobody = await run.transition({
      task: "t1",
      to: "TDD",
      artifacts: planned as unknown as JsonObject,
      host: { workspace: folder },
    });
    expect(nobody.decision).toMatchObject({ effect: "deny", code: "gate_blocked" });
    expect(openGates(run.view, contract)).toEqual([]);
  });

  it("does not count a yes by somebody who works on the task later", async () => {
    const { approve, run, ask } = await opened();
    await approve("plan_approval", "Pat");
    await approve("plan_approval", "Olga", "orchestrator");
    await run.toolCall({ agent: "olga", task: "t1", tool: "read_files", args: { path: "a" } });
    expect((await ask("TDD", planned)).text).toContain("and has 1");
    await run.toolCall({ agent: "pat", task: "another", tool: "read_files", args: { path: "a" } });
    expect((await ask("TDD", planned, { agent: "PAT" })).text).toContain("and has 0");
  });

  it("opens only when every blocking check passes, and asks nobody before that", async () => {
    const { ask, approve, run, contract } = await bench();
    await ask("PLAN", {});
    await ask("TDD", { ...planned, scope_definition: {} });
    expect(openGates(run.view, contract)).toEqual([]);
    await expect(approve("plan_approval", "Pat")).rejects.toFailWith("BYLAW_GATE_NOT_OPEN");
    await expect(approve("tests_written", "Pat")).rejects.toFailWith("BYLAW_GATE_NOT_OPEN");
  });

  it("is not opened by a request that another plugin refused", async () => {
    const { defineCheck, deny } = await import("@bylaw/kernel");
    const { z } = await import("zod");
    const no = defineCheck({
      name: "no",
      hook: "onTransition",
      artifact: z.unknown(),
      when: { to: "TDD" },
      check: () => deny("forged token"),
    });
    const { ask, run, contract } = await bench({ config: { plugins: [no] } });
    await ask("PLAN", {});
    await ask("TDD", planned, { agent: "olga" });
    expect(openGates(run.view, contract)).toEqual([]);
    await ask("TDD", planned);
    expect(gateStates(run.view, contract, "t1")).toEqual([
      { gate: "plan_approval", state: "pending", codes: [], waivers: [] },
    ]);
  });

  it("asks again for other artifacts: a yes covers what was shown (WF-119)", async () => {
    const { ask, approve, run, contract } = await opened();
    await approve("plan_approval", "Pat");
    await approve("plan_approval", "Olga");
    const more = { ...planned, plan_document: { ...plan, title: "And a backdoor" } };
    expect((await ask("TDD", more)).text).toContain("and has 0");
    expect(openGates(run.view, contract)).toMatchObject([{ approvals: [] }]);
    expect((await ask("TDD", planned)).text).toContain("and has 0");
  });

  it("refuses a vote about what was not shown, or under another policy", async () => {
    const { run, contract } = await opened();
    const [gate] = openGates(run.view, contract);
    const { ask } = await opened({ options: { tools: [] } });
    expect((await ask("TDD", planned)).decision.policy["@bylaw/plugin-gates"]).toBe(
      contract.digest,
    );
    const tree = gate?.tree ?? "";
    const details = {
      gate: "plan_approval",
      phase: "PLAN",
      by: "Pat",
      role: "human",
      verdict: "approved",
      reason: null,
      tree,
    };
    const record = (fields: JsonObject) =>
      run.record([
        {
          event_type: "gate_decided",
          agent_id: null,
          task_id: "t1",
          details: { ...details, ...fields } as JsonObject,
        },
      ]);
    await expect(
      record({ artifacts: `sha256:${"0".repeat(64)}`, policy: contract.digest }),
    ).rejects.toMatchObject(refused("shown"));
    await expect(
      record({ artifacts: gate?.artifacts ?? "", policy: "1.0.0" }),
    ).rejects.toMatchObject(refused("shown"));
    for (const other of [null, `sha256:${"0".repeat(64)}`])
      await expect(
        record({ artifacts: gate?.artifacts ?? "", policy: contract.digest, tree: other }),
      ).rejects.toMatchObject(refused("shown"));
    await expect(
      record({ artifacts: gate?.artifacts ?? "", policy: contract.digest, phase: "TDD" }),
    ).rejects.toMatchObject(refused("open"));
    await record({ artifacts: gate?.artifacts ?? "", policy: contract.digest });
  });

  it("is void when the contract has changed meanwhile", async () => {
    const [folder, store] = [temporaryFolder(), createMemoryStore()];
    const before = await opened({ folder, store });
    await before.approve("plan_approval", "Pat");
    await before.approve("plan_approval", "Olga");
    await before.run.close();
    const after = await bench({ folder, store, text: TEXT.replace("quorum: 2", "quorum: 1") });
    await expect(after.approve("plan_approval", "Quin")).rejects.toMatchObject(refused("shown"));
    expect((await after.ask("TDD", planned)).text).toContain("and has 0");
    await after.approve("plan_approval", "Quin");
    expect((await after.ask("TDD", planned)).decision.effect).toBe("allow");
  });

  it("is closed by a no, which opens only the way back (WF-118)", async () => {
    const { goTo, review, ask, run, observe } = await bench();
    await goTo("REVIEW");
    await review();
    expect((await ask("IMPL", {})).decision.code).toBe("gate_not_rejected");
    expect((await ask("IMPL", reviewed)).decision.code).toBe("gate_not_rejected");
    await ask("COMPLETE", reviewed);
    await decideGate(run, {
      task: "t1",
      gate: "review_approved",
      by: "Hana",
      role: "human",
      verdict: "rejected",
      reason: "names are not escaped",
    });
    const stopped = await ask("COMPLETE", reviewed);
    expect(stopped.decision.code).toBe("gate_blocked");
    expect(stopped.text).toContain("`Hana` rejected gate `review_approved`: names are not escaped");
    await expect(
      decideGate(run, {
        task: "t1",
        gate: "review_approved",
        by: "Rita",
        role: "review_agent",
        verdict: "approved",
      }),
    ).rejects.toFailWith("BYLAW_GATE_NOT_OPEN");
    expect((await ask("IMPL", {})).decision.effect).toBe("allow");
    await observe(GREEN);
    await ask("REVIEW", built);
    await review();
    expect((await ask("IMPL", {})).decision.code, "a no of the last time is none of this").toBe(
      "gate_not_rejected",
    );
  });

  it("rejects what is submitted, and never an empty request (WF-118)", async () => {
    const { goTo, review, ask } = await bench();
    await goTo("REVIEW");
    for (const artifacts of readCases<object>(import.meta, "empty-requests"))
      expect((await ask("IMPL", artifacts)).decision.code, JSON.stringify(artifacts)).toBe(
        "gate_not_rejected",
      );
    await review();
    await ask("COMPLETE", {
      review_report: { ...reviewed.review_report, blocking_issues: ["it leaks"] },
    });
    expect((await ask("IMPL", {})).decision.effect).toBe("allow");
  });
});

describe("time", () => {
  it("that runs out calls a person, and counts as nobody's no (WF-119, WF-146)", async () => {
    const { ask, approve, run, contract, clock } = await opened();
    await approve("plan_approval", "Olga", "orchestrator");
    clock.now = "2026-01-01T10:59:59.000Z";
    expect(await escalateGates(run, contract, { now: () => clock.now })).toEqual([]);
    expect((await ask("TDD", planned)).decision.code).toBe("gate_pending");
    clock.now = "2026-01-01T11:00:00.000Z";
    expect((await ask("TDD", planned)).decision.code).toBe("gate_needs_human");
    expect(await escalateGates(run, contract, { now: () => clock.now })).toMatchObject([
      { event_type: "gate_escalated", task_id: "t1" },
    ]);
    expect(await escalateGates(run, contract, { now: () => clock.now })).toEqual([]);
    expect(openGates(run.view, contract)).toMatchObject([{ escalated: true }]);
    expect(gateStates(run.view, contract, "t1")).toEqual([
      { gate: "plan_approval", state: "needs-human", codes: ["gate_needs_human"], waivers: [] },
    ]);
    await expect(approve("plan_approval", "Otto", "orchestrator")).rejects.toMatchObject(
      refused("in-time"),
    );
    await approve("plan_approval", "Pat", "human");
    expect((await ask("TDD", planned)).decision.effect).toBe("allow");
  });

  it("that runs out closes the gate if the contract says so, until the next request", async () => {
    const text = TEXT.replace("action: escalate_to_human", "action: reject");
    const { goTo, review, ask, approve, run, contract, clock } = await bench({ text });
    await goTo("REVIEW");
    await review();
    await ask("COMPLETE", reviewed);
    clock.now = "2026-01-01T12:00:00.000Z";
    await expect(approve("review_approved", "Hana")).rejects.toMatchObject(refused("in-time"));
    const closed = await escalateGates(run, contract, { now: () => clock.now });
    expect(closed).toMatchObject([{ event_type: "gate_closed", details: { reason: "timed_out" } }]);
    expect((await ask("COMPLETE", reviewed)).decision.code).toBe("gate_timed_out");
    expect((await ask("IMPL", reviewed)).decision.code, "nobody said no").toBe("gate_not_rejected");
    expect((await ask("COMPLETE", reviewed)).decision.code).toBe("gate_pending");
    expect(openGates(run.view, contract)).toMatchObject([{ opened_at: clock.now, approvals: [] }]);
  });

  it("cannot be given or taken by a caller that records events", async () => {
    const { run } = await opened();
    const details = { gate: "plan_approval", phase: "PLAN", opened_at: "2026-01-01T10:00:00.000Z" };
    const record = (event_type: string, given: JsonObject) =>
      run.record([{ event_type, agent_id: null, task_id: "t1", details: given }]);
    await expect(record("gate_escalated", details)).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await expect(record("gate_closed", { ...details, reason: "timed_out" })).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
    await expect(record("gate_closed", { ...details, reason: "rejected" })).rejects.toFailWith(
      "BYLAW_EVENT_INVALID",
    );
  });
});
