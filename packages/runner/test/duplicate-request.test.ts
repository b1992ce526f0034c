import { existsSync } from "node:fs";
import { countOf, loopCounters } from "@bylaw/plugin-loop";
import { agentCalls } from "@bylaw/plugin-trigger";
import { releaseWorkflow, reportBehavior, workflowState, type StepContext } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { stage, templateOf, write } from "./kit.ts";

const play = { run: { function: "play" } };

/** Writes a request and waits until it is read. */
async function put(file: string, request: object): Promise<void> {
  write(file, request);
  while (existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Runs a workflow with a review step and a helper that may be called. */
async function reviewed(review: (context: StepContext) => Promise<void>, more: object = {}) {
  const trace: string[] = [];
  const loaded = await templateOf({
    agents: { worker: play, reviewer: play, helper: play },
    steps: [
      { id: "work", agent: "worker" },
      { id: "check", agent: "reviewer", loop: { steps: 1, max_iterations: 3 } },
      { id: "publish", agent: "worker", trigger: "helper" },
    ],
    ...more,
  });
  const at = stage(loaded, {
    play: async (context) => {
      trace.push(`${context.step}${context.visit}${context.agent === "helper" ? ":helper" : ""}`);
      if (context.agent === "reviewer") await review(context);
      return undefined;
    },
  });
  const details = async (type: string) =>
    (await at.store.events("r", 0, 1_000))
      .filter(({ event_type }) => event_type === type)
      .map(({ details: said }) => said);
  return { ...at, trace, details };
}

describe("a second request of a step", () => {
  it("does not change the first one", async () => {
    const at = await reviewed(async ({ controlFile }) => {
      await put(controlFile, { action: "loop" });
      await put(controlFile, { action: "vibecheck", reason: "tests were deleted" });
      await put(controlFile, { action: "vibecheck", reason: "all is well" });
    });
    expect(await at.go()).toMatchObject({ outcome: "held", why: "second" });
    const run = await at.open();
    expect(run.view(workflowState).hold?.message).toMatch(/tests were deleted.*all is well/);
  });

  it("holds the workflow for a person if it asks for another look", async () => {
    // Code under review may write to the reviewer's control file.
    const at = await reviewed(async ({ controlFile }) => {
      await put(controlFile, { action: "trigger", triggerAgentId: "helper" });
      write(controlFile, { action: "loop", reason: "two tests fail" });
    });
    expect(await at.go()).toMatchObject({
      outcome: "held",
      why: "second",
      step: "check",
      reason: expect.stringContaining("two tests fail"),
    });
    expect(at.trace).toEqual(["work1", "check1"]);
    expect(existsSync(at.controlFile)).toBe(false);
    const run = await at.open();
    await releaseWorkflow(run, { by: "ada" });
    expect(await at.go({ run })).toMatchObject({ outcome: "completed" });
    expect(at.trace).toEqual(["work1", "check1", "check1:helper", "publish1"]);
  });

  it("holds the workflow also in the middle of the step, and keeps it held", async () => {
    const at = await reviewed(async ({ controlFile }) => {
      await put(controlFile, { action: "loop" });
      await put(controlFile, { action: "vibecheck", reason: "odd" });
    });
    expect(await at.go()).toMatchObject({ outcome: "held", why: "second" });
    expect(await at.go()).toMatchObject({ outcome: "held", why: "second" });
    expect(at.trace).toEqual(["work1", "check1"]);
  });

  it("is set aside if it is the same in other words", async () => {
    const at = await reviewed(async ({ controlFile, visit }) => {
      if (visit > 1) return;
      await put(controlFile, { action: "loop", reason: "one test fails" });
      await put(controlFile, { action: "loop", reason: "two tests fail" });
    });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(at.trace).toEqual(["work1", "check1", "work2", "check2", "publish1"]);
    expect(await at.details("control_file_set_aside")).toMatchObject([{ why: "second" }]);
  });

  it("through the tool is refused and recorded, uses up no budget, and leaves no agent at work", async () => {
    const answers: string[] = [];
    const at = await reviewed(async ({ run, agent, visit }) => {
      const ask = async (given: {
        readonly action: string;
        readonly triggerAgentId?: string;
      }): Promise<void> => {
        const { effect, code } = await reportBehavior(
          { run, agent: agent ?? "", workspace: "." },
          given,
        );
        answers.push(`${given.action} ${effect} ${code}`);
      };
      if (visit > 1) return;
      for (const action of ["loop", "loop", "vibecheck"]) await ask({ action });
      await ask({ action: "trigger", triggerAgentId: "helper" });
    });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(answers).toEqual([
      "loop allow rule_allowed",
      "loop deny behavior_second",
      "vibecheck deny behavior_second",
      "trigger deny behavior_second",
    ]);
    expect(at.trace).toEqual(["work1", "check1", "work2", "check2", "publish1"]);
    expect(await at.details("behavior_applied")).toHaveLength(1);
    expect(await at.details("behavior_rejected")).toHaveLength(3);
    const run = await at.open();
    expect(countOf(run.view(loopCounters), null, "check").iterations).toBe(1);
    expect(run.view(agentCalls)).toMatchObject({ total: 0, chains: {} });
    await run.close();
  });

  it("through the tool is accepted if it is a stop or a pause", async () => {
    const at = await reviewed(async ({ run, agent }) => {
      for (const action of ["loop", "checkpoint", "stop"])
        expect(
          await reportBehavior({ run, agent: agent ?? "", workspace: "." }, { action }),
        ).toMatchObject({ effect: "allow" });
    });
    expect(await at.go()).toMatchObject({ outcome: "paused" });
    const run = await at.open();
    expect(run.view(workflowState).units[0]?.frames[0]).toMatchObject({
      directive: { action: "continue" },
    });
    await run.close();
  });
});
