import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { Command } from "@langchain/langgraph";
import { HumanMessage, type BaseMessage } from "langchain";
import { describe, expect, it } from "vitest";
import type { ApprovalInterrupt } from "../src/index.ts";
import { FileSaver, openAgent, type Call, resume } from "./kit.ts";

const folder = temporaryFolder();

const thread = { configurable: { thread_id: "t" } };
const go = { messages: [new HumanMessage("go")] };
const toldIn = (messages: readonly BaseMessage[]): readonly string[] =>
  messages.filter(({ type }) => type === "tool").map(({ text }) => text);
interface Interrupt {
  readonly id: string;
  readonly value: ApprovalInterrupt;
}
const interruptsIn = (state: object): readonly Interrupt[] => {
  const { __interrupt__: found = [] } = state as { readonly __interrupt__?: readonly Interrupt[] };
  return found;
};
const questionsIn = (state: object): readonly ApprovalInterrupt[] =>
  interruptsIn(state).map(({ value }) => value);

describe("an agent", () => {
  it("runs an allowed call, and records how it ended", async () => {
    const { agent, ran, run } = await openAgent({ turns: [[{ id: "c1", path: "a" }]] });
    const { messages } = await agent.invoke(go, thread);
    expect([ran, toldIn(messages)]).toEqual([["a"], ["write a"]]);
    // Opened, allowed, done, accepted.
    expect(run.head).toBe(4);
  });

  it("does not run a call that is denied or cannot be judged, and tells the model why", async () => {
    const calls = ["secret", "broken", "a"].map((path) => ({ id: path, path }));
    const { agent, ran } = await openAgent({ turns: [calls] });
    const { messages } = await agent.invoke(go, thread);
    expect(ran).toEqual(["a"]);
    expect(toldIn(messages)).toEqual([
      "`secret` is off limits. Write another file.",
      "The check rules/paths failed. Fix or remove the check. Until then it denies.",
      "write a",
    ]);
  });

  it("does the same if it is streamed", async () => {
    const calls = ["secret", "a", "ask"].map((path) => ({ id: path, path }));
    const { agent, ran } = await openAgent({ turns: [calls] });
    const chunks: object[] = [];
    for await (const chunk of await agent.stream(go, { ...thread, streamMode: "updates" }))
      chunks.push(chunk as object);
    expect(ran).toEqual(["a"]);
    expect(chunks.flatMap(questionsIn)).toMatchObject([{ args: { path: "ask" } }]);
  });

  it("offers only the tools of the phase, and denies the others", async () => {
    const turns = [[{ id: "c1", path: "a" }]];
    const { agent, ran, run, model } = await openAgent({ turns, task: "t1" });
    await run.transition({ task: "t1", to: "PLAN", artifacts: {} });
    await agent.invoke(go, thread);
    expect(ran).toEqual([]);
    expect(JSON.stringify(model.calls[0])).not.toContain('"write"');
  });

  it("continues after a response that was not accepted", async () => {
    const { agent } = await openAgent({ texts: ["untested", "All tests pass"] });
    const { messages } = await agent.invoke(go, thread);
    expect(messages.slice(1).map(({ type, text }) => [type, text])).toEqual([
      ["ai", "untested"],
      ["human", "The tests were not run."],
      ["ai", "All tests pass"],
    ]);
  });

  it("denies everything after its run is closed", async () => {
    const { agent, ran, run } = await openAgent({ turns: [[{ id: "c1", path: "a" }]] });
    await run.close();
    await agent.invoke(go, thread);
    expect(ran).toEqual([]);
  });
});

const ASKED: readonly Call[] = [
  { id: "c1", path: "a" },
  { id: "c2", path: "ask-1" },
];

/** Makes the agent ask about one of two calls. Keeps the run and the checkpoints in files. */
async function asked(name: string) {
  const [file, checkpoints] = [join(folder, `${name}.db`), join(folder, name)];
  const checkpointer = new FileSaver(checkpoints, { resume: false });
  const { agent, ran } = await openAgent({ turns: [ASKED], file, checkpointer });
  const [question] = questionsIn(await agent.invoke(go, thread));
  expect(ran).toEqual(["a"]);
  return { file, checkpoints, question: question?.question ?? "" };
}

describe("a call that was asked about", () => {
  it("runs once after an approval, in another process, and the other calls of its turn do not run again", async () => {
    const { question, ...given } = await asked("yes");
    const yes = { approved: true, by: "ada", question };
    expect(resume(given, yes)).toEqual({ ran: ["ask-1"], told: ["write a", "write ask-1"] });
    expect(resume(given, yes).ran).toEqual([]);
  });

  it("does not run after a refusal", async () => {
    const { question, ...given } = await asked("no");
    const no = { approved: false, by: "ada", reason: "Not today", question };
    expect(resume(given, no)).toEqual({
      ran: [],
      told: ["write a", "A person (ada) refused this call: Not today"],
    });
  });

  it.each([
    ["of another question", { approved: true, question: "0000000000000000" }],
    ["of none", { approved: true }],
    ["in text", { approved: "true" }],
    ["that is itself a question", true],
  ])("does not run after an approval %s", async (name, answer) => {
    const { question: _, ...given } = await asked(name);
    expect(resume(given, answer as object).ran).toEqual([]);
  });

  it("does not run after an approval if the checkpoint now has other arguments", async () => {
    const { file, checkpoints, question } = await asked("forged");
    const text = readFileSync(checkpoints, "latin1");
    expect(text).toContain('"ask-1"');
    writeFileSync(checkpoints, text.replaceAll('"ask-1"', '"ask-2"'), "latin1");
    const forged = resume({ file, checkpoints }, { approved: true, by: "ada", question });
    expect(forged.ran).toEqual([]);
  });

  it("can be answered if several calls were asked about", async () => {
    const calls = ["ask-1", "ask-2"].map((path) => ({ id: path, path }));
    const { agent, ran } = await openAgent({ turns: [calls] });
    const answers = Object.fromEntries(
      interruptsIn(await agent.invoke(go, thread)).map(({ id, value: { question, args } }) => [
        id,
        { approved: args["path"] === "ask-2", question },
      ]),
    );
    await agent.invoke(new Command({ resume: answers }), thread);
    expect(ran).toEqual(["ask-2"]);
  });
});
