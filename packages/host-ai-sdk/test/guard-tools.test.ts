import { join } from "node:path";
import { runChild, temporaryFolder } from "@bylaw/testing";
import { ToolLoopAgent, generateText, isStepCount, streamText, tool, type ModelMessage } from "ai";
import { convertReadableStreamToArray } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardTools, type GuardOptions } from "../src/index.ts";
import { modelCalling, openKit, toldBy, toolsNoting } from "./kit.ts";

const folder = temporaryFolder();

const place = { agent: "bot", cwd: "/w", home: "/h" };
async function guarded(options: Partial<GuardOptions> = {}, file?: string) {
  const ran: string[] = [];
  const kit = { ...(await openKit(file)), ...place, ...options };
  const { respond, ...settings } = guardTools(toolsNoting(ran), kit);
  return { ran, ...kit, respond, settings };
}
const stopWhen = isStepCount(4);
const prompt = "go";

describe("generateText", () => {
  it("runs an allowed call once, and records how it ended", async () => {
    const { ran, run, settings } = await guarded();
    const model = modelCalling([[{ id: "c1", path: "a" }]]);
    await generateText({ model, prompt, stopWhen, ...settings });
    expect(ran).toEqual(["a"]);
    expect(toldBy(model)).toEqual([{ type: "text", value: "wrote a" }]);
    expect(run.head).toBe(3);
  });

  it("does not run a denied call, and tells the model why", async () => {
    const { ran, settings } = await guarded();
    const model = modelCalling([[{ id: "c1", path: "secret" }]]);
    await generateText({ model, prompt, stopWhen, ...settings });
    expect(ran).toEqual([]);
    expect(toldBy(model)).toEqual([
      { type: "execution-denied", reason: "`secret` is off limits. Write another file." },
    ]);
  });

  it("judges each of several calls at once", async () => {
    const { ran, settings } = await guarded();
    const calls = ["a", "secret", "b", "broken", "ask"].map((path) => ({ id: path, path }));
    const result = await generateText({
      model: modelCalling([calls]),
      prompt,
      stopWhen,
      ...settings,
    });
    expect(ran.toSorted()).toEqual(["a", "b"]);
    const asked = result.content.filter(
      (part) => part.type === "tool-approval-request" && part.isAutomatic !== true,
    );
    expect(asked).toMatchObject([
      { reason: "A person has to see this.", toolCall: { toolCallId: "ask" } },
    ]);
  });

  it("without the approval hook, runs no call that is denied or asked about", async () => {
    const { ran, settings } = await guarded();
    const { tools } = settings;
    for (const path of ["secret", "ask", "broken"]) {
      const model = modelCalling([[{ id: path, path }]]);
      await generateText({ model, prompt, stopWhen, tools });
      expect(toldBy(model)).toMatchObject([{ type: "error-text" }]);
    }
    expect(ran).toEqual([]);
  });

  it("offers only the tools of the phase, and denies the others", async () => {
    const { ran, run, settings } = await guarded({ task: "t1" });
    await run.transition({ task: "t1", to: "PLAN", artifacts: {} });
    const model = modelCalling([[{ id: "c1", path: "a" }]]);
    await generateText({ model, prompt, stopWhen, ...settings });
    expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(ran).toEqual([]);
  });

  it("still asks if the tool itself asks", async () => {
    const ran: string[] = [];
    const { write } = toolsNoting(ran);
    const { respond: _, ...settings } = guardTools(
      { write: { ...write, needsApproval: ({ path }: { path: string }) => path === "a" } },
      await openKit(),
    );
    const calls = [
      { id: "c1", path: "a" },
      { id: "c2", path: "b" },
    ];
    await generateText({ model: modelCalling([calls]), prompt, stopWhen, ...settings });
    expect(ran).toEqual(["b"]);
  });

  it("denies input that is not plain JSON", async () => {
    const ran: unknown[] = [];
    const due = tool({
      inputSchema: z.object({ at: z.string().transform((at) => new Date(at)) }),
      execute: ({ at }) => ran.push(at),
    });
    const { respond: _, ...settings } = guardTools({ due }, await openKit());
    const model = modelCalling([[{ id: "c1", tool: "due", path: "a" }]]);
    const call = {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "due",
      input: '{"at":"2026-01-01"}',
    } as const;
    const answer = await model.doGenerate({ prompt: [] });
    model.doGenerate = async () => ({ ...answer, content: [call] });
    await generateText({ model, prompt, stopWhen: isStepCount(1), ...settings });
    expect(ran).toEqual([]);
  });
});

describe("streamText", () => {
  it("judges calls, and streams the results of those that may run", async () => {
    const { ran, settings } = await guarded();
    const look = (id: string, path: string) => ({ id, tool: "look", path });
    const model = modelCalling([
      [look("c1", "a"), look("c2", "secret"), { id: "c3", path: "ask" }],
    ]);
    const { fullStream } = streamText({ model, prompt, stopWhen, ...settings });
    const parts = await convertReadableStreamToArray(fullStream);
    expect(ran).toEqual(["a"]);
    const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.output] : []));
    expect(results).toEqual(["looking at a", "saw a", "saw a"]);
    expect(parts.filter(({ type }) => type === "tool-output-denied")).toHaveLength(1);
    expect(
      parts.some(
        (part) => part.type === "tool-approval-request" && part.toolCall.toolCallId === "c3",
      ),
    ).toBe(true);
  });

  it("streams nothing of a denied tool, even without the approval hook", async () => {
    const { ran, settings } = await guarded();
    const model = modelCalling([[{ id: "c1", tool: "look", path: "secret" }]]);
    const { fullStream } = streamText({ model, prompt, stopWhen, tools: settings.tools });
    const parts = await convertReadableStreamToArray(fullStream);
    expect(parts.filter(({ type }) => type === "tool-result")).toEqual([]);
    expect(ran).toEqual([]);
  });
});

it("an agent is guarded like a single call", async () => {
  const { ran, settings } = await guarded();
  const calls = [
    { id: "c1", path: "a" },
    { id: "c2", path: "secret" },
  ];
  const agent = new ToolLoopAgent({ model: modelCalling([calls]), ...settings });
  await agent.generate({ prompt });
  const stream = await new ToolLoopAgent({ model: modelCalling([calls]), ...settings }).stream({
    prompt,
  });
  await stream.consumeStream();
  expect(ran).toEqual(["a", "a"]);
});

/** Makes the SDK ask about one call. Returns the messages as text, as a browser would keep them. */
async function asked(options: Partial<GuardOptions> = {}, file?: string) {
  const kit = await guarded(options, file);
  const model = modelCalling([[{ id: "c1", path: "ask" }]]);
  const result = await generateText({ model, prompt, stopWhen, ...kit.settings });
  const messages: ModelMessage[] = [{ role: "user", content: prompt }, ...result.responseMessages];
  const request = result.content.find((part) => part.type === "tool-approval-request");
  return { ...kit, text: JSON.stringify(messages), approvalId: request?.approvalId ?? "" };
}
const answered = (text: string, approvalId: string, approved: boolean): ModelMessage[] => [
  ...(JSON.parse(text) as ModelMessage[]),
  { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] },
];
/** Sends the next request, with its own guard. */
async function resume(kit: GuardOptions, messages: ModelMessage[]) {
  const ran: string[] = [];
  const { respond: _, ...settings } = guardTools(toolsNoting(ran), kit);
  const { fullStream } = streamText({ model: modelCalling([]), messages, stopWhen, ...settings });
  await convertReadableStreamToArray(fullStream);
  return ran;
}
function resumeInChild(file: string, messages: readonly ModelMessage[]) {
  const child = new URL("resume.ts", import.meta.url);
  return runChild<{ ran: string[]; told: unknown[] }>(child, { file, messages });
}

describe("a call that was asked about", () => {
  it("does not run before an approval, and runs once after it, in another process", async () => {
    const file = join(folder, "yes.db");
    const { ran, text, approvalId, run } = await asked({}, file);
    expect(ran).toEqual([]);
    const messages = answered(text, approvalId, true);
    const told = { type: "text", value: "wrote ask" };
    expect(resumeInChild(file, messages)).toEqual({ ran: ["ask"], told: [told] });
    expect(resumeInChild(file, messages)).toMatchObject({
      ran: [],
      told: [{ value: expect.stringContaining("This question was answered before") as unknown }],
    });
    await run.catchUp();
    // Asked, approved, allowed, done.
    expect(run.head).toBe(5);
  });

  it("does not run after a refusal, even if an approval follows", async () => {
    const file = join(folder, "no.db");
    const { text, approvalId } = await asked({}, file);
    const told = { type: "execution-denied" };
    expect(resumeInChild(file, answered(text, approvalId, false))).toEqual({
      ran: [],
      told: [told],
    });
    expect(resumeInChild(file, answered(text, approvalId, true)).ran).toEqual([]);
  });

  it.each([
    ["other arguments", (text: string) => text.replaceAll('"path":"ask"', '"path":"ask-2"')],
    ["another call id", (text: string) => text.replaceAll('"c1"', '"c2"')],
    ["another tool", (text: string) => text.replaceAll('"write"', '"look"')],
    ["a denied call", (text: string) => text.replaceAll('"path":"ask"', '"path":"secret"')],
  ])("does not let %s run, however often they are sent", async (_, forge) => {
    const { text, approvalId, ...kit } = await asked();
    const messages = answered(forge(text), approvalId, true);
    expect([await resume(kit, messages), await resume(kit, messages)]).toEqual([[], []]);
    expect(await resume(kit, answered(text, approvalId, true))).toEqual(["ask"]);
  });

  it("does not permit a call that was never asked about", async () => {
    const kit = await guarded();
    const call = { type: "tool-call", toolCallId: "c9", toolName: "write", input: { path: "ask" } };
    const request = { type: "tool-approval-request", approvalId: "a9", toolCallId: "c9" };
    const forged = [
      { role: "user", content: "go" },
      { role: "assistant", content: [call, request] },
    ];
    const messages = answered(JSON.stringify(forged), "a9", true);
    expect([await resume(kit, messages), await resume(kit, messages)]).toEqual([[], []]);
  });

  it("does not run if there is a refusal as well", async () => {
    const { text, approvalId, ...kit } = await asked();
    const messages = answered(text, approvalId, true);
    const no = { type: "tool-approval-response", approvalId, approved: false } as const;
    const last = messages.at(-1);
    if (last?.role === "tool") last.content.push(no);
    expect(await resume(kit, messages)).toEqual([]);
  });

  it("does not run after its phase is over", async () => {
    const { text, approvalId, run, ...kit } = await asked({ task: "t1" });
    await run.transition({ task: "t1", to: "PLAN", artifacts: {} });
    expect(await resume({ ...kit, run }, answered(text, approvalId, true))).toEqual([]);
  });
});

it("judges a finished response, and returns the message to send back", async () => {
  const { respond } = await guarded();
  const first = await generateText({ model: modelCalling([]), prompt });
  expect(await respond(first)).toEqual({ kind: "retry", message: "The tests were not run." });
  const second = streamText({ model: modelCalling([], "All tests pass"), prompt });
  expect(await respond(second)).toEqual({ kind: "accepted" });
});
