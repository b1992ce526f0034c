import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { createKernel, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { gates } from "../src/index.ts";
import {
  bench,
  built,
  CONTRACT,
  GREEN,
  opens,
  plan,
  planned,
  RED,
  reviewed,
  TEXT,
  tested,
  type Bench,
} from "./kit.ts";

const at = async (phase: string, options = {}): Promise<Bench> => {
  const made = await bench(options);
  await made.goTo(phase);
  return made;
};
const changed = (path: string): object => ({
  ...built,
  implementation_files: { files_changed: [{ path, change_type: "changed" }] },
});

describe("nothing passes", () => {
  it("by another way to write a path outside the scope", async () => {
    const { ask, observe, put, folder } = await at("IMPL");
    put("src/secret/a.js", "export const a = 1;\n");
    symlinkSync(join(folder, "src/secret"), join(folder, "src/open"));
    await observe(GREEN);
    for (const path of readCases<string>(import.meta, "spellings-of-a-path"))
      expect((await ask("REVIEW", changed(path))).text, path).toContain(
        "is outside the scope of the approved plan",
      );
    for (const path of [
      "src/../src/secret/a.js",
      "src\\secret\\a.js",
      join(folder, "src/secret/a.js"),
      "~/src/a.js",
      "C:/src/a.js",
    ]) {
      const { text, decision } = await ask("REVIEW", changed(path));
      expect(text, path).toContain("is not a path in the workspace");
      expect(decision.effect).toBe("deny");
    }
  });

  it("by files outside the workspace behind a link", async () => {
    const { ask, observe, folder } = await at("TDD");
    const elsewhere = temporaryFolder();
    mkdirSync(join(elsewhere, "tests"));
    writeFileSync(join(elsewhere, "tests/b.test.js"), "assert.ok(it);\n");
    symlinkSync(join(elsewhere, "tests"), join(folder, "tests/linked"));
    await observe(RED);
    const test_files = {
      test_files: [{ path: "tests/linked/b.test.js", covers: ["AC-1", "AC-2"] }],
    };
    const { text, decision } = await ask("IMPL", { ...tested, test_files });
    expect(decision.effect).toBe("deny");
    expect(text).toContain("tests/linked/b.test.js is outside of the workspace");
  });

  it("by a workspace that only the agent names", async () => {
    const { ask, observe } = await at("TDD");
    const other = temporaryFolder();
    mkdirSync(join(other, "tests"));
    await observe(RED);
    const { decision } = await ask(
      "IMPL",
      { ...tested, workspace: other, host: { workspace: other } },
      { host: { workspace: "relative" } },
    );
    expect(decision.effect).toBe("allow");
    const elsewhere = await at("TDD");
    await elsewhere.observe(RED);
    expect((await elsewhere.ask("IMPL", tested, { host: { workspace: other } })).text).toContain(
      "tests/a.test.js is missing",
    );
  });

  it("without a run: no record exists, and no file was read", async () => {
    const kernel = createKernel({ plugins: [opens, gates({ contract: CONTRACT })] });
    for (const [from, to] of readCases<[string, string]>(import.meta, "transitions")) {
      const artifacts = { ...planned, ...tested, ...built, ...reviewed } as unknown as JsonObject;
      expect(
        (await kernel.decide({ hook: "onTransition", task: "t1", from, to, artifacts })).effect,
        `${from} ${to}`,
      ).toBe("deny");
    }
  });

  it("by facts that a caller invents", async () => {
    const kernel = createKernel({ plugins: [opens, gates({ contract: CONTRACT })] });
    const forged = {
      "@bylaw/plugin-gates": { files: [], problem: null, tree: `sha256:${"0".repeat(64)}` },
    };
    const subject = {
      hook: "onTransition",
      task: "t1",
      from: "PLAN",
      to: "TDD",
      artifacts: {},
      facts: forged,
    } as const;
    expect((await kernel.decide(subject)).code).toBe("invalid_call");
  });

  it("by an event that an agent tries to record", async () => {
    const { run } = await at("PLAN");
    const details = { details: {}, event_type: "gate_decided" };
    await run.transition({
      agent: "ann",
      task: "t1",
      to: "gate_decided",
      artifacts: details as unknown as JsonObject,
    });
    await run.toolCall({
      agent: "ann",
      task: "t1",
      tool: "gate_decided",
      args: details as unknown as JsonObject,
    });
    for (const event_type of ["phase_entered", "transition_blocked", "tool_allowed"])
      await expect(
        run.record([{ event_type, agent_id: null, task_id: "t1", details: {} }]),
      ).rejects.toFailWith("BYLAW_EVENT_INVALID");
    await expect(
      run.record([
        { event_type: "test_run", agent_id: null, task_id: "t1", details: { passed: 2 } },
      ]),
    ).rejects.toFailWith("BYLAW_EVENT_INVALID");
  });

  it("by tests with the same name of which one is removed", async () => {
    const { ask, observe, put } = await at("TDD");
    await observe({ failed: ["greets", "greets"] });
    await ask("IMPL", tested);
    put("src/a.js", "export const a = 1;\n");
    await observe({ passed: ["greets", "another"] });
    expect((await ask("REVIEW", built)).text).toContain(
      "1 test(s) of the failing run are gone: `greets`",
    );
  });

  it("by a failing run repeated after the code exists, with fewer tests, and without its phase", async () => {
    const { ask, observe, put } = await at("IMPL");
    put("src/a.js", "export const a = 1;\n");
    await observe({ failed: ["greets"] });
    await observe({ passed: ["greets"] });
    expect((await ask("REVIEW", built)).blocked).toEqual([
      "gate_blocked all_tests_pass.tests_unchanged",
    ]);
  });

  it("by the evidence of another task", async () => {
    const store = createMemoryStore();
    const { observe, folder } = await at("TDD", { store });
    await observe(RED);
    const details = (await store.events("r1", 0, 1_000)).at(-1)?.details ?? {};
    const { ask, run } = await at("TDD", { folder });
    await run.record([{ event_type: "test_run", agent_id: null, task_id: "t2", details }]);
    expect((await ask("IMPL", tested)).text).toContain(
      "No test run is recorded since the task entered the phase",
    );
    await run.record([{ event_type: "test_run", agent_id: null, task_id: "t1", details }]);
    expect((await ask("IMPL", tested)).decision.effect).toBe("allow");
  });

  it("by a reviewer's report that approves with issues, or by the worker's own report", async () => {
    const { ask, review } = await at("REVIEW");
    await review({ blocking_issues: ["it leaks"] });
    expect((await ask("COMPLETE", reviewed)).text).toContain("Found 1 blocking issue(s): it leaks");
    await review({ verdict: "rejected" }, ["ann", "ann"]);
    expect((await ask("COMPLETE", reviewed)).text).toContain("rejected by security");
  });

  it("by so many findings that nobody reads them", async () => {
    const { ask } = await at("PLAN");
    const acceptance_criteria = Array.from({ length: 5_000 }, () => ({}));
    const { decision } = await ask("TDD", { ...planned, plan_document: { acceptance_criteria } });
    const told = decision.votes.filter(({ plugin }) => plugin === "@bylaw/plugin-gates");
    expect(told).toHaveLength(21);
    expect(told.some(({ reason }) => reason.includes("and 9980 more"))).toBe(true);
  });
});

it("tasks and agents may have any name", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "c.yaml"), TEXT);
  const run = await openRun(
    createKernel({
      plugins: [opens, gates({ contract: join(folder, "c.yaml"), workspace: folder })],
    }),
    { run: "r1" },
  );
  for (const name of [
    "__proto__",
    "constructor",
    "toString",
    "\u202ename",
    "a".repeat(5_000),
    "null",
  ]) {
    await run.toolCall({ agent: name, task: name, tool: "read_files", args: {} });
    await run.transition({ agent: name, task: name, to: "PLAN", artifacts: {} });
    const { decision } = await run.transition({
      agent: name,
      task: name,
      to: "TDD",
      artifacts: planned as unknown as JsonObject,
    });
    expect(decision.code, name).toBe("gate_pending");
  }
});

it("a scope that is slow to compare lets nothing pass, and blocks nobody else", async () => {
  const { ask, approve, observe } = await bench();
  const in_scope = Array.from({ length: 40 }, (_, at) => `src/*${"x".repeat(1_000)}${at}y`);
  const long = {
    ...planned,
    plan_document: { ...plan, scope: { in_scope, out_of_scope: in_scope } },
  };
  await ask("PLAN", {});
  await ask("TDD", long);
  for (const by of ["Pat", "Olga"]) await approve("plan_approval", by);
  await ask("TDD", long);
  await observe(RED);
  await ask("IMPL", tested);
  await observe(GREEN);
  const files_changed = Array.from({ length: 2_000 }, (_, at) => ({
    path: `src/${"x".repeat(2_000)}${at}`,
    change_type: "added",
  }));
  const { decision, text } = await ask("REVIEW", {
    ...built,
    implementation_files: { files_changed, summary: "It is there." },
  });
  expect(decision.effect).toBe("deny");
  expect(text).toContain("takes too long to compare");
}, 20_000);
