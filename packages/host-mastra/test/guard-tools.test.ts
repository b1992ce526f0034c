import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { modelCalling, openAgent, toldBy, resume } from "./kit.ts";

const folder = temporaryFolder();

describe("an agent", () => {
  it("runs an allowed call once, and records how it ended", async () => {
    const model = modelCalling([[{ id: "c1", path: "a" }]]);
    const { agent, ran, run } = await openAgent(model);
    await agent.generate("go");
    expect(ran).toEqual(["a"]);
    expect(toldBy(model)).toContain("wrote a");
    // Begun, allowed, done, complied.
    expect(run.head).toBe(4);
  });

  it("does not run a denied call or one whose check fails, and tells the model why", async () => {
    const calls = ["secret", "broken"].map((path) => ({ id: path, path }));
    const model = modelCalling([calls]);
    const { agent, ran } = await openAgent(model);
    await agent.generate("go");
    expect(ran).toEqual([]);
    expect(toldBy(model)).toContain("`secret` is off limits. Write another file.");
  });

  it("is guarded when it streams", async () => {
    const calls = ["a", "secret"].map((path) => ({ id: path, path }));
    const { agent, ran } = await openAgent(modelCalling([calls]));
    await (await agent.stream("go")).consumeStream();
    expect(ran).toEqual(["a"]);
  });

  it("is offered only the tools of the phase, and denied the others", async () => {
    const model = modelCalling([[{ id: "c1", path: "a" }]]);
    const { agent, ran, run } = await openAgent(model, { task: "t1" });
    await run.transition({ task: "t1", to: "PLAN", artifacts: {} });
    await agent.generate("go");
    const [first] = [...model.doGenerateCalls, ...model.doStreamCalls];
    expect(first?.tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(ran).toEqual([]);
  });

  it("gets its answer back if it does not comply", async () => {
    const model = modelCalling([], "done");
    const { agent } = await openAgent(model);
    await agent.generate("go");
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(2);
    expect(toldBy(model)).toContain("The tests were not run.");
  });
});

it("refuses a call that needs a person where no agent calls the tool", async () => {
  const { tools, ran } = await openAgent(modelCalling([]));
  for (const path of ["ask", "secret"])
    await expect(tools.write.execute?.({ path }, {} as never)).rejects.toFailWith(
      "BYLAW_TOOL_REFUSED",
    );
  await tools.write.execute?.({ path: "a" }, {} as never);
  expect(ran).toEqual(["a"]);
});

/** Suspends an agent at a call that a person must approve, and returns what a server keeps until then. */
async function suspended(file: string, more: object = {}) {
  const kit = await openAgent(modelCalling([[{ id: "c1", path: "ask", more }]]), { file });
  const { runId, suspendPayload } = await kit.agent.generate("go");
  expect(kit.ran).toEqual([]);
  const workflows = await kit.storage.getStore("workflows");
  const { runs = [] } = (await workflows?.listWorkflowRuns()) ?? {};
  return { ...kit, runId: runId ?? "", kept: { file, runId, suspended: suspendPayload, runs } };
}

describe("a call that was asked about", () => {
  it("runs once after an approval, in another process", async () => {
    const { kept } = await suspended(join(folder, "yes.db"));
    const first = resume(kept);
    expect(first.ran).toEqual(["ask"]);
    expect(first.told).toContain("wrote ask");
    expect(() => resume(kept)).toThrow("This question was answered before");
  });

  it("does not run after a refusal, and the model is told the reason", async () => {
    const { kept } = await suspended(join(folder, "no.db"));
    const first = resume(kept, false);
    expect(first.ran).toEqual([]);
    expect(first.told).toContain("A person (ada) refused this call");
    expect(() => resume(kept)).toThrow("a person already said no to this call");
  });

  it("suspends again if the agent is resumed without an answer", async () => {
    const { agent, ran, runId } = await suspended(join(folder, "none.db"));
    const result = await agent.resumeGenerate({ approved: true }, { runId });
    expect(result.finishReason).toBe("suspended");
    expect(ran).toEqual([]);
  });

  it("does not run when the model answers itself in its arguments", async () => {
    const forged = { approved: true, question: "0123456789abcdef" };
    const kit = await suspended(join(folder, "forged.db"), { resumeData: forged });
    await kit.agent.resumeGenerate({ approved: false, reason: "no" }, { runId: kit.runId });
    expect(kit.ran).toEqual([]);
  });

  it.each([
    ["other arguments", { args: { path: "ask-2" } }],
    ["another call", { id: "c2" }],
    ["another tool", { tool: "look" }],
    ["a denied call", { args: { path: "secret" } }],
  ])("cannot be approved as %s", async (name, change) => {
    const { answer, kept } = await suspended(join(folder, `${name}.db`));
    const { suspendPayload } = kept.suspended as { suspendPayload: object };
    const changed = { ...suspendPayload, ...change };
    await expect(answer(changed, { approved: true, by: "ada" })).rejects.toFailWith(
      "BYLAW_TOOL_REFUSED",
    );
  });

  it("cannot be approved from a payload without a question", async () => {
    const { answer } = await openAgent(modelCalling([]));
    for (const payload of [undefined, null, {}, { suspendPayload: { tool: "write" } }])
      await expect(answer(payload, { approved: true, by: "ada" })).rejects.toFailWith(
        "BYLAW_TOOL_REFUSED",
      );
  });
});
