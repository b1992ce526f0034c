import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resumeCheckpoint } from "@bylaw/plugin-checkpoint";
import { releaseWorkflow, resultOf, workflowState } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { player, stage, templateOf, write, stageOf, playing } from "./kit.ts";

const play = { function: "play" };
const step = (id: string, more: object = {}) => ({ id, run: play, ...more });

describe("steps", () => {
  it("run one after the other, each once", async () => {
    const { trace, at } = await playing({ steps: [step("a"), step("b"), step("c")] });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1", "c1"]);
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(trace).toHaveLength(3);
  });

  it("go back in a loop up to the limit, and skip steps only inside the loop", async () => {
    const steps = [
      step("a"),
      step("b"),
      step("c"),
      step("d", { loop: { steps: 2, max_iterations: 2, skip: ["b"] } }),
      step("e"),
    ];
    const { trace, at } = await playing(
      { steps },
      { d: [{ action: "loop" }, { action: "loop" }, { action: "loop" }] },
    );
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1", "c1", "d1", "c2", "d2", "c3", "d3", "e1"]);
    expect(await at.types()).toContain("behavior_rejected");
  });

  it("of an inner loop get their full budget again in each pass of the outer loop", async () => {
    const again = Array.from({ length: 9 }, () => ({ action: "loop" }));
    const steps = [
      step("a"),
      step("in", { loop: { steps: 1, max_iterations: 1 } }),
      step("out", { loop: { steps: 2, max_iterations: 1 } }),
    ];
    const { trace, at } = await playing({ steps }, { in: again, out: again });
    await at.go();
    expect(trace).toEqual(["a1", "in1", "a2", "in2", "out1", "a3", "in3", "a4", "in4", "out2"]);
  });

  it.each([
    ["hold", "held"],
    ["stop", "stopped"],
  ] as const)("that have reached the limit %s if the loop says so", async (on_limit, outcome) => {
    const { at } = await playing(
      { steps: [step("a"), step("b", { loop: { steps: 1, max_iterations: 1, on_limit } })] },
      { b: [{ action: "loop" }, { action: "loop" }] },
    );
    expect(await at.go()).toMatchObject({ outcome });
  });

  it("end their workflow with stop, or only their loop if they have one", async () => {
    const { trace, at } = await playing(
      { steps: [step("a"), step("b", { loop: { steps: 1 } }), step("c"), step("d")] },
      { b: [{ action: "loop" }, { action: "stop" }], c: [{ action: "stop", reason: "enough" }] },
    );
    expect(await at.go()).toMatchObject({ outcome: "stopped" });
    expect(trace).toEqual(["a1", "b1", "a2", "b2", "c1"]);
  });

  it("run if their conditions hold, and a skipped step counts as not successful", async () => {
    const { trace, functions } = player();
    const fail = (): never => {
      throw new Error("no");
    };
    const steps = [
      step("a", { run: { function: "fail" }, continue_on_error: true }),
      step("b", { when: "a.success == true" }),
      step("c", { skip_if: "a.success == true && a.skipped == false" }),
      step("d", { depends_on: ["b"] }),
      step("e", { when: "b.skipped == true || a.success == true" }),
    ];
    const at = await stageOf({ steps }, { ...functions, fail });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["c1", "e1"]);
  });

  it("pass values on to conditions if their output is declared as JSON", async () => {
    const { trace, functions } = player();
    const steps = [
      step("a", { run: { function: "answer" }, output: "json" }),
      step("b", { when: "a.output.kind == 'fix'" }),
      step("c", { when: "a.output.kind == 'new'" }),
    ];
    const at = await stageOf({ steps }, { ...functions, answer: () => ({ kind: "fix" }) });
    await at.go();
    expect(trace).toEqual(["b1"]);
  });

  it("with `once` run once, even in a loop", async () => {
    const { trace, at } = await playing(
      { steps: [step("a", { once: true }), step("b"), step("c", { loop: { steps: 2 } })] },
      { c: [{ action: "loop" }] },
    );
    await at.go();
    expect(trace).toEqual(["a1", "b1", "c1", "b2", "c2"]);
  });

  it("of a group run in parallel: each waits for the other", async () => {
    const { promise: both, resolve: arrive } = Promise.withResolvers<void>();
    const functions = {
      first: async () => (await both, undefined),
      second: () => arrive() as undefined,
    };
    const steps = [
      step("a", { run: { function: "first" }, parallel: "g" }),
      step("b", { run: { function: "second" }, parallel: "g" }),
    ];
    const at = await stageOf({ steps }, functions);
    expect(await at.go()).toMatchObject({ outcome: "completed" });
  });

  it("of a group have a control file each", async () => {
    const steps = [
      step("a", { parallel: "g", agent: "worker" }),
      step("b", { parallel: "g" }),
      step("c"),
    ];
    const { trace, at } = await playing(
      { agents: { worker: { run: play }, helper: { run: play } }, steps },
      { a: [{ action: "trigger", triggerAgentId: "helper" }], b: [{ action: "checkpoint" }] },
    );
    expect(await at.go()).toMatchObject({ outcome: "paused", step: "b" });
    expect(trace.toSorted()).toEqual(["a1", "a1:helper", "b1"]);
  });
});

describe("failure", () => {
  it("is retried as often as the step says, then by its fallback, and each attempt is recorded", async () => {
    const seen: string[] = [];
    const functions = {
      fail: ({ attempt }: { readonly attempt: number }): never => {
        seen.push(`fail${attempt}`);
        throw new Error("no");
      },
      mend: ({ attempt, agent }: { readonly attempt: number; readonly agent: string | null }) =>
        void seen.push(`${String(agent)}${attempt}`) as undefined,
    };
    const agents = { worker: { run: { function: "fail" } }, mender: { run: { function: "mend" } } };
    const at = await stageOf(
      { agents, steps: [{ id: "a", agent: "worker", retries: 1, fallback: "mender" }] },
      functions,
    );
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(seen).toEqual(["fail1", "fail2", "mender3"]);
  });

  it("holds the workflow until a person lets it try again", async () => {
    let good = false;
    const seen: number[] = [];
    const work = ({ attempt }: { readonly attempt: number }): undefined => {
      seen.push(attempt);
      if (!good) throw new Error("no");
    };
    const at = await stageOf(
      { agents: { worker: { run: { function: "work" } } }, steps: [{ id: "a", agent: "worker" }] },
      { work },
    );
    expect(await at.go()).toMatchObject({ outcome: "held", why: "failed", step: "a" });
    expect(await at.go()).toMatchObject({ outcome: "held" });
    good = true;
    const run = await at.open();
    await expect(releaseWorkflow(run, { by: " Worker" })).rejects.toFailWith(
      "BYLAW_WORKFLOW_BY_ITSELF",
    );
    expect(await releaseWorkflow(run, { by: "ada" })).toBe(true);
    expect(await at.go({ run })).toMatchObject({ outcome: "completed" });
    expect(seen).toEqual([1, 2]);
  });
});

describe("a trigger", () => {
  it("runs the agent, which may call another, and each returns", async () => {
    const agents = { worker: { run: play }, helper: { run: play }, second: { run: play } };
    const { trace, at } = await playing(
      { agents, steps: [{ id: "a", agent: "worker", trigger: "helper" }, step("b")] },
      { a: [{ action: "trigger" }], helper: [{ action: "trigger", triggerAgentId: "second" }] },
    );
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "a1:helper", "a1:second", "b1"]);
    expect((await at.types()).filter((type) => type === "agent_returned")).toHaveLength(2);
  });

  it("of an unknown agent, or in a circle, holds the workflow", async () => {
    const { functions } = player({
      a: [{ action: "trigger", triggerAgentId: "helper" }],
      helper: [{ action: "trigger", triggerAgentId: "worker" }],
    });
    const agents = { worker: { run: play }, helper: { run: play } };
    const at = await stageOf({ agents, steps: [{ id: "a", agent: "worker" }] }, functions);
    expect(await at.go()).toMatchObject({ outcome: "held", why: "rejected" });
    const other = player({ a: [{ action: "trigger", triggerAgentId: "nobody" }] });
    const unknown = await stageOf(
      { agents, steps: [{ id: "a", agent: "worker" }] },
      other.functions,
    );
    expect(await unknown.go()).toMatchObject({
      outcome: "held",
      why: "rejected",
      reason: expect.stringContaining("`nobody`"),
    });
  });
});

describe("a checkpoint", () => {
  it("pauses the workflow, which is resumed in another process without repeating steps", async () => {
    const loaded = await templateOf({ steps: [step("a"), step("b")] });
    const { trace, functions } = player({ a: [{ action: "checkpoint", reason: "look" }] });
    const at = stage(loaded, functions);
    expect(await at.go()).toEqual({ outcome: "paused", step: "a", why: null, reason: "look" });
    expect(await at.go()).toMatchObject({ outcome: "paused" });
    const run = await at.open();
    const [pause] = run.view(workflowState).pauses;
    await resumeCheckpoint(run, {
      checkpoint: pause?.checkpoint ?? 0,
      by: "ada",
      definition: loaded.definition,
    });
    expect(await at.go({ run })).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1"]);
  });

  it("cannot be resumed with another template", async () => {
    const { at } = await playing(
      { steps: [step("a"), step("b")] },
      { a: [{ action: "checkpoint" }] },
    );
    await at.go();
    const { template, definition } = await templateOf({ steps: [step("a"), step("c")] });
    await expect(at.go({ template, definition })).rejects.toFailWith("BYLAW_TEMPLATE_CHANGED");
  });
});

describe("oversight", () => {
  const asks = { a: [{ action: "vibecheck" }] };
  it("holds the workflow if nobody gives it", async () => {
    const at = await stageOf({ steps: [step("a")] }, player(asks).functions);
    expect(await at.go()).toMatchObject({ outcome: "held", why: "oversight" });
  });

  it.each([
    [0.2, "completed"],
    [0.7, "held"],
  ])("with a risk of %d gives %s", async (risk, outcome) => {
    const { trace, at } = await playing({ steps: [step("a"), step("b")] }, asks);
    const run = await at.open();
    const verdict = { risk, advice: "x", traits: [], uncertainties: [] };
    const oversee = () =>
      run.record([
        {
          event_type: "oversight_given",
          agent_id: null,
          task_id: null,
          details: { by: "o", verdict },
        },
      ]);
    expect(await at.go({ run, oversee })).toMatchObject({ outcome });
    if (outcome === "completed") return;
    const later = await at.open();
    await releaseWorkflow(later, { by: "ada" });
    expect(await at.go({ run: later })).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1"]);
  });
});

describe("the control file", () => {
  it("is read once, recorded and removed", async () => {
    const { at } = await playing(
      { steps: [step("a")] },
      { a: [{ action: "continue", reason: "fine" }] },
    );
    await at.go();
    expect(existsSync(at.controlFile)).toBe(false);
    expect(await at.types()).toContain("behavior_applied");
  });

  it("from before a step is set aside with an event, and has no effect", async () => {
    const { trace, at } = await playing({ steps: [step("a"), step("b")] });
    write(at.controlFile, { action: "stop" });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1"]);
    expect(readFileSync(`${at.controlFile}.aside`, "utf8")).toBe('{"action":"stop"}');
    expect(await at.types()).toContain("control_file_set_aside");
  });

  it.each([{ step: "other" }, { run: "other" }])("for %j is set aside", async (other) => {
    const { at } = await playing(
      { steps: [step("a"), step("b")] },
      { a: [{ action: "stop", ...other }] },
    );
    expect(await at.go()).toMatchObject({ outcome: "completed" });
  });

  it.each(["", "{", '{"action": "Loop"}', "[]", '{"action":"continue","action":"continue"}'])(
    "with the content %j holds the workflow",
    async (text) => {
      const { trace, at } = await playing({ steps: [step("a"), step("b")] }, { a: [text] });
      expect(await at.go()).toMatchObject({ outcome: "held", why: "control_file" });
      const run = await at.open();
      await releaseWorkflow(run, { by: "ada" });
      expect(await at.go({ run })).toMatchObject({ outcome: "completed" });
      expect(trace).toEqual(["a1", "b1"]);
    },
  );

  it("is not followed if it is a link", async () => {
    const at = await stageOf(
      { steps: [step("a", { run: { function: "link" } })] },
      {
        link: ({ controlFile }) => {
          writeFileSync(join(controlFile, "../real.json"), '{"action":"continue"}');
          symlinkSync(join(controlFile, "../real.json"), controlFile);
          return undefined;
        },
      },
    );
    expect(await at.go()).toMatchObject({ outcome: "held", why: "control_file" });
  });

  it("that asks for a missing loop holds the workflow, and says so", async () => {
    const at = await stageOf(
      { steps: [step("a"), step("b")] },
      player({ b: [{ action: "loop" }] }).functions,
    );
    expect(await at.go()).toMatchObject({
      outcome: "held",
      why: "rejected",
      reason: expect.stringContaining("has no loop"),
    });
  });
});

it("a request by a tool call while the step runs does the same as the file", async () => {
  const { trace, functions } = player();
  const call = async ({
    run,
    step: id,
  }: {
    readonly run: { behave: (action: object) => Promise<unknown> };
    readonly step: string;
  }) => {
    await run.behave({ action: "trigger", step: id, agent: "worker", trigger_agent_id: "helper" });
    return undefined;
  };
  const agents = { worker: { run: { function: "call" } }, helper: { run: play } };
  const at = await stageOf(
    { agents, steps: [{ id: "a", agent: "worker" }, step("b")] },
    { ...functions, call: call as never },
  );
  expect(await at.go()).toMatchObject({ outcome: "completed" });
  expect(trace).toEqual(["a1:helper", "b1"]);
});

it("the result of each step is in the state", async () => {
  const at = await stageOf({ steps: [step("a")] }, player().functions);
  await at.go();
  const run = await at.open();
  expect(resultOf(run.view(workflowState), "a")).toMatchObject({
    status: "completed",
    exit_code: null,
    output: null,
    visits: 1,
    attempts: 1,
  });
  await run.close();
});
