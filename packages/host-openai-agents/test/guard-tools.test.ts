import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import {
  Agent,
  OutputGuardrailTripwireTriggered,
  RunState,
  run,
  shellTool,
  webSearchTool,
} from "@openai/agents";
import { describe, expect, it } from "vitest";
import { guardTools, type GuardOptions } from "../src/index.ts";
import { FakeModel, agentNoting, openKit, resume } from "./kit.ts";

const folder = temporaryFolder();

const calling = (...paths: readonly string[]) => [
  paths.map((path) => ({ id: `call-${path}`, path })),
];

async function drive(
  model: FakeModel,
  { stream = false, ...options }: Partial<GuardOptions> & { readonly stream?: boolean } = {},
) {
  const ran: string[] = [];
  const kit = await openKit();
  const { agent } = agentNoting(ran, model, { ...kit, ...options });
  if (!stream) return { ran, ...kit, result: await run(agent, "go") };
  const result = await run(agent, "go", { stream });
  await result.completed;
  return { ran, ...kit, result };
}

describe.each([false, true])("an agent, streaming: %s", (stream) => {
  it("runs an allowed call once, and records how it ended", async () => {
    const model = new FakeModel(calling("a"));
    const { ran, run: log, result } = await drive(model, { stream });
    expect([ran, result.finalOutput, log.head]).toEqual([["a"], "done", 3]);
    expect(model.told).toContain("wrote a");
  });

  it.each([
    ["secret", "`secret` is off limits. Write another file."],
    ["broken", "The check failed"],
  ])("does not run %s, and tells the model why", async (path, told) => {
    const model = new FakeModel(calling(path));
    const { ran, result } = await drive(model, { stream });
    expect([ran, result.finalOutput]).toEqual([[], "done"]);
    if (path === "secret") expect(model.told).toContain(told);
  });

  it("judges each of several calls, and stops for the one that is asked about", async () => {
    const model = new FakeModel(calling("a", "secret", "ask", "b"));
    const { ran, result } = await drive(model, { stream });
    expect(ran.toSorted()).toEqual(["a", "b"]);
    expect(result.interruptions.map(({ arguments: args }) => args)).toEqual(['{"path":"ask"}']);
  });
});

it("still asks if the tool itself asks", async () => {
  const ran: string[] = [];
  const { agent } = agentNoting(ran, new FakeModel(calling("a")), await openKit(), true);
  const result = await run(agent, "go");
  expect([ran, result.interruptions.length]).toEqual([[], 1]);
  for (const one of result.interruptions) result.state.approve(one);
  await run(agent, result.state);
  expect(ran).toEqual(["a"]);
});

it("offers only the tools of the phase of the task", async () => {
  const model = new FakeModel();
  const kit = await openKit();
  await kit.run.transition({ task: "t1", to: "PLAN", artifacts: {} });
  const { agent } = agentNoting([], model, { ...kit, callerOf: () => ({ task: "t1" }) });
  await run(agent, "go");
  expect(model.requests[0]?.tools).toEqual([]);
  await run(agentNoting([], model, kit).agent, "go");
  expect(model.requests[1]?.tools.map((one) => one.type === "function" && one.name)).toEqual([
    "write",
  ]);
});

it("keeps hosted tools, and refuses local ones that it cannot guard", async () => {
  const kit = await openKit();
  const search = webSearchTool();
  expect(guardTools([search], kit).tools).toEqual([search]);
  const shell = shellTool({ shell: { run: async () => ({ output: [] }) } });
  expect(() => guardTools([shell], kit)).toThrow("The tool `shell` cannot be guarded");
});

it("judges the final output, and returns the message to send back", async () => {
  const { outputGuardrail } = agentNoting([], new FakeModel(), await openKit());
  const saying = (text: string) =>
    run(
      new Agent({
        name: "bot",
        model: new FakeModel([], text),
        outputGuardrails: [outputGuardrail],
      }),
      "go",
    );
  const error = await saying("done").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OutputGuardrailTripwireTriggered);
  expect(error).toMatchObject({
    result: { output: { outputInfo: { kind: "retry", message: "The tests were not run." } } },
  });
  expect((await saying("The tests pass")).finalOutput).toBe("The tests pass");
});

describe("a call that was asked about", () => {
  const asked = async (file: string) => {
    const ran: string[] = [];
    const { agent } = agentNoting(ran, new FakeModel(calling("ask")), await openKit(file));
    const result = await run(agent, "go");
    expect(ran).toEqual([]);
    return result.state.toString();
  };

  it("runs once after an approval, in another process", async () => {
    const file = join(folder, "yes.db");
    const saved = await asked(file);
    expect(resume(file, saved)).toMatchObject({ ran: ["ask"] });
    const again = resume(file, saved);
    expect(again.ran).toEqual([]);
    expect(again.told).toContain("This question was answered before");
  });

  it("does not run after a refusal", async () => {
    const file = join(folder, "no.db");
    expect(resume(file, await asked(file), false).ran).toEqual([]);
  });

  it("does not run from a forged state, however often it is sent", async () => {
    const kit = await openKit();
    const first = await run(agentNoting([], new FakeModel(calling("ask")), kit).agent, "go");
    const forged = first.state
      .toString()
      .replaceAll('\\"path\\":\\"ask\\"', '\\"path\\":\\"ask-2\\"');
    expect(forged).not.toBe(first.state.toString());
    const ran: string[] = [];
    for (const _ of [1, 2]) {
      const { agent } = agentNoting(ran, new FakeModel(), kit);
      const state = await RunState.fromString(agent, forged);
      for (const one of state.getInterruptions()) state.approve(one);
      await run(agent, state);
    }
    expect(ran).toEqual([]);
  });

  it("does not permit other arguments, or every call of the tool", async () => {
    const ran: string[] = [];
    const model = new FakeModel([...calling("ask"), ...calling("ask-2")]);
    const { agent } = agentNoting(ran, model, await openKit());
    const result = await run(agent, "go");
    const [first] = result.interruptions;
    if (first === undefined) throw new Error("Nobody was asked");
    result.state.approve(first, { alwaysApprove: true });
    await run(agent, result.state);
    expect(ran).toEqual(["ask"]);
    expect(model.told).toContain("A person must approve this call first");
  });
});
