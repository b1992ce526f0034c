import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { HumanMessage, type BaseMessage } from "langchain";
import { describe, expect, it } from "vitest";
import type { ApprovalInterrupt } from "../src/index.ts";
import { FileSaver, openAgent, resume } from "./kit.ts";

const folder = temporaryFolder();

const go = { messages: [new HumanMessage("go")] };
const thread = { configurable: { thread_id: "t" } };
const calling = (path: string) => ({ turns: [[{ id: "c1", path }]] });
const toldIn = ({ messages }: { readonly messages: readonly BaseMessage[] }) =>
  messages.filter(({ type }) => type === "tool").map(({ text }) => text);

describe.each([false, true])("a call for which a rule offers another, streaming: %s", (stream) => {
  const drive = async (path: string) => {
    const { agent, ran, run } = await openAgent(calling(path));
    if (!stream) return { ran, run, told: toldIn(await agent.invoke(go, thread)).join() };
    let last: { messages: readonly BaseMessage[] } = { messages: [] };
    for await (const state of await agent.stream(go, { ...thread, streamMode: "values" }))
      last = state as typeof last;
    return { ran, run, told: toldIn(last).join() };
  };

  it.each(["deny", "ask"])("runs as the other if a rule allows that: %s", async (effect) => {
    const { ran, run, told } = await drive(`${effect}>a`);
    expect([ran, told]).toEqual([["a"], "write a"]);
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

/** Asks about a call, and returns what another process needs to resume the agent. */
async function asked(name: string, path: string) {
  const file = join(folder, `${name}.db`);
  const checkpoints = join(folder, `${name}.checkpoints`);
  const checkpointer = new FileSaver(checkpoints, { resume: false });
  const { agent, ran } = await openAgent({ ...calling(path), file, checkpointer });
  const result = await agent.invoke(go, thread);
  const { __interrupt__: [first] = [] } = result as {
    readonly __interrupt__?: readonly { readonly value: ApprovalInterrupt }[];
  };
  return { file, checkpoints, ran, question: first?.value.question ?? "" };
}

it("a person's yes is for the call that was asked about, in another process", async () => {
  const { question, ran, ...saved } = await asked("yes", "ask>ask-2");
  const yes = { approved: true, by: "ada", question };
  const kept = readFileSync(saved.checkpoints, "latin1");
  writeFileSync(saved.checkpoints, kept.replaceAll('"ask>ask-2"', '"ask-2"    '), "latin1");
  expect(resume(saved, yes).ran).toEqual([]);
  writeFileSync(saved.checkpoints, kept, "latin1");
  expect(resume(saved, yes).ran).toEqual(["ask>ask-2"]);
  expect(ran).toEqual([]);
});
