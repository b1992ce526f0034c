import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { gateProjection } from "../src/gate-projection.ts";
import { retryableRequest, gateStates, waiveCheck } from "../src/index.ts";
import {
  bench,
  built,
  GREEN,
  plan,
  planned,
  RED,
  reviewed,
  scope,
  tested,
  tests,
  type Bench,
  type BenchOptions,
} from "./kit.ts";

const REASON =
  "The two renamed tests asserted a typo of the plan; the new names were agreed with the author of the plan.";
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

describe("a waiver", () => {
  const waiver = {
    task: "t1",
    gate: "tests_passing",
    check: "tests_unchanged",
    by: "Pat",
    role: "human",
    reason: REASON,
    expires_at: "2026-01-02T10:00:00Z",
  };
  const weakened = async (): Promise<Bench> => {
    const made = await bench();
    await made.goTo("IMPL");
    made.put("src/a.js", "export const a = 1;\n");
    await made.observe({ passed: ["greets", "greets no one"] });
    return made;
  };

  it("lets one check pass until it expires, and records who, why and until when", async () => {
    const { ask, run, clock } = await weakened();
    expect((await ask("REVIEW", built)).blocked).toEqual([
      "gate_blocked all_tests_pass.tests_unchanged",
    ]);
    await waiveCheck(run, waiver);
    clock.now = "2026-01-02T10:00:00.000Z";
    expect((await ask("REVIEW", built)).blocked).toEqual([
      "gate_blocked all_tests_pass.tests_unchanged",
    ]);
    clock.now = "2026-01-02T10:00:01.000Z";
    await waiveCheck(run, { ...waiver, expires_at: "2026-01-03T10:00:00Z" });
    const { decision, told, text } = await ask("REVIEW", built);
    expect(decision.effect).toBe("allow");
    expect(told).toEqual(["gate_waived all_tests_pass.tests_unchanged"]);
    expect(text).toContain("waived by `Pat` until 2026-01-03T10:00:00Z: The two renamed tests");
  });

  it("of one check waives no other, and is void when the task leaves the phase", async () => {
    const { ask, run, observe } = await weakened();
    await waiveCheck(run, { ...waiver, check: "no_skipped_tests" });
    expect((await ask("REVIEW", built)).decision.effect).toBe("deny");
    await waiveCheck(run, waiver);
    await observe({ failed: ["greets"], passed: ["greets nobody"] });
    expect((await ask("REVIEW", built)).blocked).toEqual(
      expect.arrayContaining(["gate_blocked all_tests_pass"]),
    );
    await observe({ passed: ["greets", "greets no one"] });
    expect((await ask("REVIEW", built)).decision.effect).toBe("allow");
    await expect(waiveCheck(run, waiver)).rejects.toMatchObject({
      code: "BYLAW_EVENT_REFUSED",
      fix: expect.stringContaining("rule phase") as string,
    });
  });

  it.each(readCases<[string, object]>(import.meta, "refused"))(
    "is refused for its %s: %j",
    async (rule, fields) => {
      const { run } = await weakened();
      await expect(waiveCheck(run, { ...waiver, ...fields })).rejects.toMatchObject({
        code: "BYLAW_EVENT_REFUSED",
        fix: `See rule ${rule} of @bylaw/plugin-gates/waivers`,
      });
    },
  );

  it("needs a readable time", async () => {
    const { run } = await weakened();
    await expect(waiveCheck(run, { ...waiver, expires_at: "never" })).rejects.toFailWith(
      "BYLAW_EVENT_INVALID",
    );
  });
});

describe("auto_advance", () => {
  it("names the request to repeat once something may let it pass, and it is decided like any other", async () => {
    const { goTo, ask, observe, run, contract } = await bench();
    await goTo("TDD");
    expect(retryableRequest(run.view, contract, "t1")).toBeUndefined();
    await ask("IMPL", tested);
    expect(retryableRequest(run.view, contract, "t1")).toBeUndefined();
    await observe(GREEN);
    expect(retryableRequest(run.view, contract, "t1")).toEqual({
      to: "IMPL",
      agent: "ann",
      artifacts: tested,
    });
    expect((await ask("IMPL", tested)).decision.effect).toBe("deny");
    expect(retryableRequest(run.view, contract, "t1")).toBeUndefined();
    await observe(RED);
    const next = retryableRequest(run.view, contract, "t1");
    expect((await ask(next?.to ?? "", next?.artifacts ?? {})).decision.effect).toBe("allow");
    expect(retryableRequest(run.view, contract, "t1")).toBeUndefined();
  });

  it("is only for gates that ask for it", async () => {
    const { approve, run, contract } = await opened();
    await approve("plan_approval", "Pat");
    expect(retryableRequest(run.view, contract, "t1")).toBeUndefined();
  });
});

it("the state of a gate is the most restrictive of the last answers", async () => {
  const { goTo, ask, observe, put, run, contract } = await bench();
  const state = (): string | undefined => gateStates(run.view, contract, "t1")[0]?.state;
  await goTo("TDD");
  expect(state()).toBe("pending");
  await ask("IMPL", {});
  expect(state()).toBe("fail");
  await observe(RED);
  put("tests/b.test.js", "assert.ok(later());\n");
  await ask("IMPL", tested);
  // The second finding is an additional test without a name. Artifact rules also block the gate.
  expect(gateStates(run.view, contract, "t1")).toEqual([
    { gate: "tests_written", state: "stale", codes: ["gate_stale"], waivers: [] },
  ]);
  await waiveCheck(run, {
    task: "t1",
    gate: "tests_written",
    check: "tests_are_failing",
    by: "Pat",
    role: "human",
    reason: REASON,
    expires_at: "2026-01-02T10:00:00Z",
  });
  await ask("IMPL", { ...tested, test_run_result: {}, test_files: {} });
  expect(gateStates(run.view, contract, "t1")).toMatchObject([
    { state: "fail", waivers: [{ check: "tests_are_failing", by: "Pat", reason: REASON }] },
  ]);
  expect(gateStates(run.view, contract, "t1")[0]?.codes).toEqual(
    expect.arrayContaining(["gate_blocked", "gate_stale", "gate_waived", "gate_warning"]),
  );
  expect(gateStates(run.view, contract, "nobody")).toEqual([]);
});

it("approved artifacts outlive the process that recorded them, and a full log gives the same", async () => {
  const folder = temporaryFolder();
  const file = join(temporaryFolder(), "store.db");
  const store = await openSqliteStore(file);
  const first = await opened({ folder, store });
  await first.approve("plan_approval", "Pat");
  await first.run.close();
  await store.close();
  const again = await openSqliteStore(file);
  const second = await bench({ folder, store: again });
  await expect(second.approve("plan_approval", "pat")).rejects.toMatchObject(refused("one-vote"));
  await second.approve("plan_approval", "Olga");
  expect((await second.ask("TDD", planned)).decision.effect).toBe("allow");
  await second.observe(RED);
  expect((await second.ask("IMPL", { ...tested, test_files: tests })).decision.effect).toBe(
    "allow",
  );
  await second.run.close();
  await again.close();
});

it("the state of a log is plain data, so that a snapshot can be read again", async () => {
  const { goTo, ask, run, review } = await bench();
  await goTo("REVIEW");
  await review();
  await ask("COMPLETE", reviewed);
  const books = run.view(gateProjection);
  expect(JSON.parse(JSON.stringify(books))).toEqual(books);
});

it("of two simultaneous yeses by one person only one is recorded", async () => {
  const { approve } = await opened();
  const came = await Promise.allSettled([
    approve("plan_approval", "Pat"),
    approve("plan_approval", "PAT"),
  ]);
  expect(came.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

it("a scope submitted with a transition back to work does not replace the approved one", async () => {
  const { goTo, review, ask, observe, put } = await bench();
  await goTo("REVIEW");
  await review({ verdict: "rejected", blocking_issues: ["leaks"] });
  const wide = { ...scope, in_scope: ["**"], out_of_scope: [] };
  expect(
    (await ask("IMPL", { plan_document: { ...plan, scope: wide }, scope_definition: wide }))
      .decision.effect,
  ).toBe("allow");
  put("src/secret/a.js", "export const a = 1;\n");
  await observe(GREEN);
  const implementation_files = {
    files_changed: [{ path: "src/secret/a.js", change_type: "added" }],
  };
  expect(
    (await ask("REVIEW", { ...built, implementation_files, plan_document: { scope: wide } })).text,
  ).toContain("is outside the scope of the approved plan");
});
