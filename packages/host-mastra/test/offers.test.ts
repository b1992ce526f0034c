import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { modelCalling, openAgent, toldBy, resume } from "./kit.ts";

const folder = temporaryFolder();

const calling = (path: string) => modelCalling([[{ id: "c1", path }]]);

describe.each([false, true])("a call for which a rule offers another, streaming: %s", (stream) => {
  const drive = async (path: string) => {
    const model = calling(path);
    const { agent, ran, run } = await openAgent(model);
    if (stream) await (await agent.stream("go")).consumeStream();
    else await agent.generate("go");
    return { ran, run, told: toldBy(model) };
  };

  it.each(["deny", "ask"])("runs as the other if a rule allows that: %s", async (effect) => {
    const { ran, run, told } = await drive(`${effect}>a`);
    expect(ran).toEqual(["a"]);
    expect(told).toContain("wrote a");
    // Begun, denied or asked, allowed, done, complied.
    expect(run.head).toBe(5);
  });

  it.each([
    ["deny>secret", "Not this file."],
    ["deny>uncovered", "Use `uncovered` instead."],
    ["deny>ask", "Use `ask` instead."],
    ["deny>7", "expected string, received number"],
  ])("runs nothing for %s, and tells the model why", async (path, why) => {
    const { ran, told } = await drive(path);
    expect(ran).toEqual([]);
    expect(told).toContain(why);
  });
});

it("runs the other also where no agent calls the tool", async () => {
  const { tools, ran } = await openAgent(modelCalling([]));
  await tools.write.execute?.({ path: "deny>a" }, {} as never);
  expect(ran).toEqual(["a"]);
});

describe("a person's yes in Mastra", () => {
  it.each([
    ["of a tool", { own: { requireApproval: true } }, {}],
    ["of a tool, by the arguments", { own: { requireApproval: () => true } }, {}],
    ["of an agent", {}, { requireToolApproval: true }],
    ["of an agent, by the arguments", {}, { requireToolApproval: () => true }],
  ])("lets the call run that it is for, and none instead: %s", async (_, setup, options) => {
    for (const [path, runs] of [
      ["deny>a", []],
      ["a", ["a"]],
    ] as const) {
      const model = calling(path);
      const { agent, ran } = await openAgent(model, setup);
      const { runId = "", finishReason } = await agent.generate("go", options);
      expect([finishReason, ran]).toEqual(["suspended", []]);
      await agent.approveToolCallGenerate({ runId, toolCallId: "c1" });
      expect(ran).toEqual(runs);
      if (runs.length === 0) expect(toldBy(model)).toContain("Use `a` instead.");
    }
  });

  it("by the arguments also keeps others from running if it is not needed for those of the model", async () => {
    const requireApproval = ({ path }: { path: string }) => path === "a";
    const { agent, ran } = await openAgent(calling("deny>a"), { own: { requireApproval } });
    await agent.generate("go");
    expect(ran).toEqual([]);
  });
});

it("counts a person's yes for the call that was asked about, in another process", async () => {
  const file = join(folder, "yes.db");
  const kit = await openAgent(calling("ask>ask-2"), { file });
  const { runId, suspendPayload } = await kit.agent.generate("go");
  const workflows = await kit.storage.getStore("workflows");
  const { runs = [] } = (await workflows?.listWorkflowRuns()) ?? {};
  const kept = { file, runId, suspended: suspendPayload, runs };
  const forged = JSON.parse(JSON.stringify(kept).replaceAll("ask>ask-2", "ask-2")) as object;
  expect(() => resume(forged)).toThrow("A person must approve this call first");
  expect(resume(kept).ran).toEqual(["ask>ask-2"]);
  expect(kit.ran).toEqual([]);
});

it("lets a person answer no question that was not asked, because another call ran", async () => {
  const { agent, answer, ran } = await openAgent(calling("ask>a"));
  await agent.generate("go");
  expect(ran).toEqual(["a"]);
  const suspended = {
    ...{ tool: "write", args: { path: "ask>a" }, id: "c1", thread: "" },
    ...{ reason: "A person has to see this.", question: "0123456789abcdef" },
  };
  await expect(answer(suspended, { approved: true, by: "ada" })).rejects.toMatchObject({
    code: "BYLAW_TOOL_REFUSED",
    message: expect.stringContaining("nobody asked it") as unknown,
  });
});
