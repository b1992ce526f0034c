import {
  storedTemplate,
  migrateWorkflow,
  moveWorkflow,
  workflowState,
  type StepContext,
} from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { player, stage, templateOf, write, stageOf } from "./kit.ts";

const worker = { agent: "worker", run: { function: "work" } };
const agents = {
  worker: { run: { function: "play" } },
  helper: { run: { function: "help" } },
  second: { run: { function: "help" } },
};

/**
 * A workflow whose first step calls agents, one of which fails. A person then continues from the second step, which calls the same agents.
 */
async function called(fails: "helper" | "second" | "worker", by: "moved" | "migrated") {
  const steps = (prompt: string) =>
    ["one", "two"].map((id) => ({ id, ...worker, trigger: "helper", prompt }));
  const [loaded, now] = [
    await templateOf({ agents, steps: steps("x") }),
    await templateOf({ agents, steps: steps("y") }),
  ];
  const trace: string[] = [];
  const isFirst = (): boolean => !trace.some((seen) => seen.startsWith("two"));
  const note = ({ step, agent }: StepContext): void =>
    void trace.push(agent === "worker" ? step : `${step}:${agent}`);
  const functions = {
    ...player().functions,
    work: async (context: StepContext): Promise<undefined> => {
      note(context);
      await context.run.behave({ action: "trigger", step: context.step, agent: "worker" });
      if (fails === "worker" && isFirst()) throw new Error("no");
    },
    help: (context: StepContext): undefined => {
      note(context);
      if (context.agent === fails && isFirst()) throw new Error("no");
      if (context.agent === "helper")
        write(context.controlFile, { action: "trigger", triggerAgentId: "second" });
    },
  };
  const at = stage(loaded, functions);
  expect(await at.go()).toMatchObject({ outcome: "held", why: "failed" });
  const run = await at.open();
  if (by === "moved") await moveWorkflow(run, { by: "ada", to: 1 });
  else {
    const before = await storedTemplate(
      at.store,
      "r",
      run.view(workflowState).started?.definition ?? "",
    );
    await migrateWorkflow(run, {
      before: before ?? loaded.template,
      loaded: now,
      by: "ada",
      from: 1,
    });
  }
  return {
    trace,
    end: await at.go({ run, functions, ...(by === "moved" ? {} : now) }),
    types: await at.types(),
  };
}

it("a failed step that calls no more agents leaves none of its agents at work", async () => {
  const step = (id: string) => ({ id, ...worker, trigger: "helper", continue_on_error: true });
  const trace: string[] = [];
  const at = await stageOf(
    { agents, steps: [step("one"), step("two")] },
    {
      work: async ({ run, step: id }): Promise<undefined> => {
        trace.push(id);
        await run.behave({ action: "trigger", step: id, agent: "worker" });
        if (id === "one") throw new Error("no");
      },
      help: async ({ run, step: id, agent }): Promise<undefined> => {
        trace.push(`${id}:${String(agent)}`);
        if (agent !== "helper") return;
        await run.behave({ action: "trigger", step: id, agent, trigger_agent_id: "second" });
        throw new Error("no");
      },
      play: () => undefined,
    },
  );
  expect(await at.go()).toMatchObject({ outcome: "completed" });
  expect(trace).toEqual(["one", "two", "two:helper"]);
  expect((await at.types()).filter((type) => type === "agent_returned")).toHaveLength(3);
});

it("a step that asks for an agent and then stops its loop leaves no agent at work", async () => {
  const steps = [
    { id: "zero", run: { function: "play" } },
    { id: "one", ...worker, loop: { steps: 1 }, trigger: "helper" },
    { id: "two", ...worker, trigger: "helper" },
  ];
  const trace: string[] = [];
  const at = await stageOf(
    { agents, steps },
    {
      work: async ({ run, step }): Promise<undefined> => {
        await run.behave({ action: "trigger", step, agent: "worker" });
        if (step === "one") await run.behave({ action: "stop", step, agent: "worker" });
      },
      help: ({ step }) => void trace.push(step),
      play: () => undefined,
    },
  );
  expect(await at.go()).toMatchObject({ outcome: "completed" });
  expect(trace).toEqual(["two"]);
});

it.each(readCases<[...Parameters<typeof called>, number]>(import.meta, "failed-agents"))(
  "a person who continues from another step leaves no called agent at work if %s failed and the run is %s",
  async (fails, by, returned) => {
    const { trace, end, types } = await called(fails, by);
    expect(end).toMatchObject({ outcome: "completed" });
    expect(trace.slice(-3)).toEqual(["two", "two:helper", "two:second"]);
    expect(types.filter((type) => type === "agent_returned")).toHaveLength(returned + 2);
    expect(types.slice(types.indexOf("agent_returned"))[returned]).toBe(`workflow_${by}`);
  },
);
