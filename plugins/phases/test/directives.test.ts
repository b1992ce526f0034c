import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMPLETED_PHASE, loadContract, parseContract, type Contract } from "@bylaw/contract";
import { createKernel, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import {
  completeDirective,
  directivesOf,
  issueDirectives,
  openDirectives,
  phases,
} from "../src/index.ts";
import { ALONE, CONTRACT, place, untested } from "./kit.ts";

const TRIGGERS =
  "triggers: [{ action: update_prd_state, params: { status: completed } }, { action: notify_orchestrator, parallel: true }]";
const TEXT = readFileSync(CONTRACT, "utf8")
  .replace("to: COMPLETE, gate: reviewed }", `to: COMPLETE, gate: reviewed, ${TRIGGERS} }`)
  .replace(
    "    forbidden_tools: [write_files, edit_files, git_commit]\n",
    "$&    auto_spawn: [{ agent_type: review, models: [one, two], parallel: true }, { agent_type: scribe, models: [log], wait_for_completion: false }]\n",
  );

const made = place({}, TEXT);
const FILE = `${made.folder}/agent_workflow.yaml`;
const contract: Contract = loadContract(FILE);
const kernel = createKernel({ plugins: [phases({ contract: FILE, elsewhere: [...ALONE] })] });

interface Walk {
  readonly run: Run;
  readonly enter: (to: string, agent?: string) => Promise<string>;
  readonly issue: () => Promise<number>;
  readonly open: () => readonly string[];
}

async function walk(
  path: readonly string[] = ["PLAN", "TDD", "IMPL", "REVIEW"],
  store = createMemoryStore(),
): Promise<Walk> {
  const run = await openRun(kernel, { run: "r1", store });
  const one: Walk = {
    run,
    enter: async (to, agent = "ann") =>
      (await run.transition({ agent, task: "t1", to, artifacts: {} })).decision.code,
    issue: async () => (await issueDirectives(run, contract, { task: "t1" })).length,
    open: () => {
      const open = openDirectives(run.view);
      // There is only one task, so its directives are all of them.
      expect(openDirectives(run.view, { task: "t1" })).toEqual(open);
      expect(openDirectives(run.view, { task: "t2" })).toEqual([]);
      return open.map(({ action, model = "" }) => `${action} ${model}`.trim());
    },
  };
  for (const to of path) expect(await one.enter(to), to).toBe("rule_allowed");
  return one;
}

const refusal = (rule: string) =>
  expect.objectContaining({
    code: "BYLAW_EVENT_REFUSED",
    fix: expect.stringContaining(`rule ${rule} `),
  });
const report = (run: Run, model: string, fields: object = {}) => {
  const found = openDirectives(run.view).find((one) => one.model === model || one.action === model);
  const said = found?.agent_type === "review" ? { verdict: "rejected" as const } : {};
  return completeDirective(run, {
    task: "t1",
    directive: found?.directive ?? "none",
    ok: true,
    agent: `rev-${model}`,
    ...said,
    ...fields,
  });
};

describe("the directives of a transition", () => {
  it("are those of the contract, and the same each time", () => {
    const trigger = { action: "notify_orchestrator", parallel: true, params: {} };
    expect(directivesOf(contract, "REVIEW", "COMPLETE")).toEqual([
      { action: "update_prd_state", parallel: false, params: { status: "completed" } },
      trigger,
    ]);
    const spawn = {
      action: "spawn",
      agentType: "review",
      models: ["one", "two"],
      parallel: true,
      waitForCompletion: true,
    };
    expect(directivesOf(contract, "IMPL", "REVIEW")[0]).toEqual(spawn);
    expect(directivesOf(contract, "IMPL", "REVIEW")).toEqual(
      directivesOf(contract, "IMPL", "REVIEW"),
    );
    for (const [from, to] of [
      [null, "PLAN"],
      ["REVIEW", "IMPL"],
      ["PLAN", "NOWHERE"],
      ["COMPLETE", COMPLETED_PHASE],
    ] as const)
      expect(directivesOf(contract, from, to)).toEqual([]);
  });

  it("start reviewers once if a trigger and the phase both require them", () => {
    const twice = TEXT.replace(
      "to: REVIEW, gate: green }",
      "to: REVIEW, gate: green, triggers: [{ action: spawn_review_agents }] }",
    )
      .replace("bylaw: 1\n", "")
      .replace(/^tools: .*\n/m, "")
      .replace(", mcp__tracker__get_issue]", "]")
      .replace(", deploy]", "]")
      .replace(/  - \{ from: REVIEW, to: IMPL.*\n/, "");
    const both = parseContract(untested(twice), "c.yaml");
    expect(both.warnings.map(({ code }) => code)).toContain("spawned_twice");
    expect(directivesOf(both, "IMPL", "REVIEW").map(({ action }) => action)).toEqual([
      "spawn",
      "spawn",
    ]);
    const once = parseContract(untested(twice).replace(/ {4}auto_spawn:.*\n/, ""), "c.yaml");
    expect(directivesOf(once, "IMPL", "REVIEW").map(({ action }) => action)).toEqual([
      "spawn_review_agents",
    ]);
  });
});

describe("directives", () => {
  it("are on record once, one for each agent and trigger, named for the entry that caused them", async () => {
    const store = createMemoryStore();
    const { run, issue, open } = await walk(undefined, store);
    expect(open()).toEqual([]);
    expect(await issue()).toBe(3);
    expect(await issue()).toBe(0);
    const entry = (await store.events("r1", 0, 100)).findLast(
      ({ event_type }) => event_type === "phase_entered",
    )?.sequence;
    const rest = { task: "t1", phase: "REVIEW", issued_at: expect.stringMatching(/Z$/) };
    expect(openDirectives(run.view)).toEqual([
      {
        directive: `${entry}.0`,
        action: "spawn",
        agent_type: "review",
        model: "one",
        parallel: true,
        wait: true,
        ...rest,
      },
      {
        directive: `${entry}.1`,
        action: "spawn",
        agent_type: "review",
        model: "two",
        parallel: true,
        wait: true,
        ...rest,
      },
      {
        directive: `${entry}.2`,
        action: "spawn",
        agent_type: "scribe",
        model: "log",
        parallel: false,
        wait: false,
        ...rest,
      },
    ]);
    expect(openDirectives(run.view, { task: "t2" })).toEqual([]);
  });

  it("do not exist for a phase that requires nothing", async () => {
    const { issue } = await walk(["PLAN", "TDD", "IMPL"]);
    expect(await issue()).toBe(0);
  });

  it("block the next transition until they are issued, so that none is skipped", async () => {
    const { enter, issue, open } = await walk();
    expect(await enter("COMPLETE")).toBe("phase_directives_due");
    await issue();
    expect(await enter("COMPLETE")).toBe("rule_allowed");
    expect(await enter(COMPLETED_PHASE)).toBe("phase_directives_due");
    await issue();
    expect(await enter(COMPLETED_PHASE)).toBe("rule_allowed");
    expect(await issue()).toBe(0);
    // Those that the task does not wait for outlast it. The reviewers of a phase that it left do not.
    expect(open()).toEqual(["spawn log", "update_prd_state", "notify_orchestrator"]);
  });

  it("that were lost in a crash are issued for every task when the run is opened again", async () => {
    const store = createMemoryStore();
    const { run } = await walk(undefined, store);
    for (const to of ["PLAN", "TDD", "IMPL", "REVIEW"])
      await run.transition({ agent: "bob", task: "t2", to, artifacts: {} });
    await issueDirectives(run, contract, { task: "t2" });
    const again = await openRun(kernel, { run: "r1", store });
    const issued = await issueDirectives(again, contract);
    expect(issued.map(({ task_id }) => task_id)).toEqual(["t1", "t1", "t1"]);
    expect(await issueDirectives(again, contract)).toEqual([]);
    expect(openDirectives(again.view)).toHaveLength(6);
  });

  it("that several processes issue at once are issued once", async () => {
    const store = createMemoryStore();
    const { run } = await walk(undefined, store);
    const others = await Promise.all(
      [1, 2, 3].map(() => openRun(kernel, { run: "r1", store, join: true })),
    );
    const all = await Promise.all(
      [run, ...others].flatMap((one) => [
        issueDirectives(one, contract),
        issueDirectives(one, contract),
      ]),
    );
    expect(all.flat()).toHaveLength(3);
    const types = (await store.events("r1", 0, 100)).filter(
      ({ event_type }) => event_type === "directive_issued",
    );
    expect(new Set(types.map(({ details }) => details["directive"])).size).toBe(3);
    expect(types).toHaveLength(3);
  });

  it("are caused again by another entry into the phase, and those of the first are void", async () => {
    const { run, enter, issue } = await walk();
    await issue();
    const [first] = openDirectives(run.view);
    await enter("IMPL");
    await enter("REVIEW");
    expect(await issue()).toBe(3);
    expect(openDirectives(run.view).map(({ model }) => model)).toEqual([
      "log",
      "one",
      "two",
      "log",
    ]);
    const late = { task: "t1", directive: first?.directive ?? "", ok: true, agent: "rev-one" };
    await expect(completeDirective(run, late)).rejects.toEqual(refusal("DIRECTIVE_NOT_OPEN"));
    await report(run, "one");
  });
});

describe("a directive is refused", () => {
  const issued = (details: object, task: string | null = "t1") =>
    ({
      event_type: "directive_issued",
      agent_id: null,
      task_id: task,
      details: details as JsonObject,
    }) as const;

  it("if the last transition did not cause it, or if it differs", async () => {
    const { run, issue } = await walk();
    const entry = run.head;
    const good = {
      directive: `${entry}.0`,
      action: "spawn",
      agent_type: "review",
      model: "one",
      parallel: true,
      wait: true,
    };
    for (const [details, task] of [
      [{ ...good, directive: `${entry}.3` }, "t1"],
      [{ ...good, directive: `${entry - 1}.0` }, "t1"],
      [{ ...good, directive: "" + entry }, "t1"],
      [good, "t2"],
      [good, null],
    ] as const)
      await expect(run.record([issued(details, task)])).rejects.toEqual(
        refusal("DIRECTIVE_NOT_DUE"),
      );
    for (const change of [
      { wait: false },
      { model: "two" },
      { params: {} },
      { action: "notify_orchestrator" },
    ])
      await expect(run.record([issued({ ...good, ...change })])).rejects.toEqual(
        refusal("DIRECTIVE_DIFFERS"),
      );
    await expect(run.record([issued({ ...good, more: 1 })])).rejects.toEqual(
      expect.objectContaining({ code: "BYLAW_EVENT_INVALID" }),
    );
    await expect(run.record([issued(good), issued(good)])).rejects.toEqual(
      refusal("DIRECTIVE_TWICE"),
    );
    expect(await issue()).toBe(3);
    await expect(run.record([issued(good)])).rejects.toEqual(refusal("DIRECTIVE_TWICE"));
  });

  it("if completed twice, before it is issued, or for another task", async () => {
    const { run, issue } = await walk();
    const directive = `${run.head}.0`;
    await expect(
      completeDirective(run, { task: "t1", directive, ok: true, agent: "rev" }),
    ).rejects.toEqual(refusal("DIRECTIVE_NOT_OPEN"));
    await issue();
    await expect(
      completeDirective(run, { task: "t2", directive, ok: true, agent: "rev" }),
    ).rejects.toEqual(refusal("DIRECTIVE_NOT_OPEN"));
    await completeDirective(run, {
      task: "t1",
      directive,
      ok: true,
      agent: "rev",
      verdict: "approved",
      summary: "fine",
    });
    await expect(
      completeDirective(run, { task: "t1", directive, ok: true, agent: "two" }),
    ).rejects.toEqual(refusal("DIRECTIVE_NOT_OPEN"));
  });

  it("as a review by an agent that requested a transition of the task, or wrote for it", async () => {
    const { run, enter, issue } = await walk(["PLAN", "TDD", "IMPL"]);
    await run.toolCall({
      agent: "bob",
      task: "t1",
      tool: "write_files",
      args: { path: "src/a.ts" },
      cwd: made.folder,
    });
    await enter("REVIEW");
    await issue();
    for (const agent of ["ann", "bob", "ANN", " bob", "b\u200bob", "ａｎｎ"]) {
      await expect(report(run, "one", { agent })).rejects.toEqual(refusal("DIRECTIVE_OWN_WORK"));
      await expect(report(run, "one", { agent, verdict: "approved" })).rejects.toEqual(
        refusal("DIRECTIVE_OWN_WORK"),
      );
      await expect(report(run, "log", { agent, blocking_issues: [] })).rejects.toEqual(
        refusal("DIRECTIVE_OWN_WORK"),
      );
    }
    // They may do other work than a review.
    await report(run, "log", { agent: "bob" });
    expect(await report(run, "one", { agent: "cy" })).toHaveLength(1);
  });

  it("but an agent that only read the work in the review may review it, and again after it was fixed", async () => {
    const { run, enter, issue } = await walk();
    await issue();
    const read = {
      agent: "rev-one",
      task: "t1",
      tool: "read_files",
      args: { path: "src/a.ts" },
      cwd: made.folder,
    };
    expect((await run.toolCall(read)).decision.effect).toBe("allow");
    await report(run, "one", { verdict: "rejected", blocking_issues: ["it does not add"] });
    await enter("IMPL");
    await enter("REVIEW");
    await issue();
    expect((await run.toolCall(read)).decision.effect).toBe("allow");
    expect(await report(run, "one", { verdict: "approved", blocking_issues: [] })).toHaveLength(1);
  });

  it("as the second report of one agent", async () => {
    const { run, issue } = await walk();
    await issue();
    await report(run, "one", { agent: "rev" });
    await expect(report(run, "two", { agent: "Rev " })).rejects.toEqual(
      refusal("DIRECTIVE_REPORTER_TWICE"),
    );
    await expect(report(run, "two", { agent: "rev" })).rejects.toEqual(
      refusal("DIRECTIVE_REPORTER_TWICE"),
    );
    await report(run, "two", { agent: "other" });
  });

  it("if done by nobody, or by an agent other than the event's", async () => {
    const { run, issue } = await walk();
    await issue();
    const [one] = openDirectives(run.view);
    const directive = one?.directive ?? "";
    await expect(completeDirective(run, { task: "t1", directive, ok: true })).rejects.toEqual(
      refusal("DIRECTIVE_AGENT"),
    );
    const posing = {
      event_type: "directive_completed",
      agent_id: "cy",
      task_id: "t1",
      details: { directive, ok: true, agent: "ann" },
    };
    await expect(run.record([posing])).rejects.toEqual(refusal("DIRECTIVE_AGENT"));
    await expect(run.record([{ ...posing, agent_id: null }])).rejects.toEqual(
      refusal("DIRECTIVE_AGENT"),
    );
    for (const agent of [" ", "\u200b", "\u2800"])
      await expect(
        completeDirective(run, { task: "t1", directive, ok: true, agent, verdict: "approved" }),
      ).rejects.toEqual(refusal("DIRECTIVE_AGENT"));
    // An agent that could not be started does not count as having reported.
    await completeDirective(run, {
      task: "t1",
      directive,
      ok: false,
      summary: "could not be started",
    });
  });

  it("as a review without a verdict", async () => {
    const { run, issue } = await walk();
    await issue();
    await expect(report(run, "one", { verdict: undefined })).rejects.toEqual(
      refusal("DIRECTIVE_VERDICT"),
    );
    await expect(report(run, "one", { verdict: undefined, blocking_issues: [] })).rejects.toEqual(
      refusal("DIRECTIVE_VERDICT"),
    );
    await report(run, "one", { verdict: undefined, ok: false, summary: "gave up" });
  });

  it("if approved with blocking issues, without having been done, or if there is nothing to judge", async () => {
    const { run, enter, issue } = await walk();
    await issue();
    const invalid = expect.objectContaining({ code: "BYLAW_EVENT_INVALID" });
    await expect(
      report(run, "one", { verdict: "approved", blocking_issues: ["x"] }),
    ).rejects.toEqual(invalid);
    await expect(report(run, "one", { verdict: "approved", ok: false })).rejects.toEqual(invalid);
    await expect(report(run, "one", { verdict: "fine" })).rejects.toEqual(invalid);
    await enter("COMPLETE");
    await issue();
    await expect(report(run, "update_prd_state", { verdict: "approved" })).rejects.toEqual(
      refusal("DIRECTIVE_VERDICT"),
    );
    await report(run, "update_prd_state", { agent: undefined });
  });

  it("from an agent, which cannot record it by calls or transitions", async () => {
    const { run, issue } = await walk();
    await issue();
    const before = openDirectives(run.view);
    await run.toolCall({
      agent: "ann",
      task: "t1",
      tool: "directive_completed",
      args: { directive: before[0]?.directive ?? "", ok: true },
    });
    await run.transition({
      agent: "ann",
      task: "t1",
      to: "NOWHERE",
      artifacts: { directive_completed: { directive: "x", ok: true } },
    });
    expect(openDirectives(run.view)).toEqual(before);
  });
});
