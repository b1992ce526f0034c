import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardFunctions, guardRunnable, type GuardOptions } from "../src/index.ts";
import { startFakeModel } from "./fake-model.ts";
import { PLAIN_OUTCOMES, openKit, resume } from "./kit.ts";

let model: Awaited<ReturnType<typeof startFakeModel>>;
const folder = temporaryFolder();
beforeAll(async () => (model = await startFakeModel()));
afterAll(async () => {
  await model.stop();
});

const write = (path: string, id = "c1") => ({ id, name: "write", args: { path } });
describe.each([false, true])("the tool runner of Anthropic, streaming: %s", (stream) => {
  const drive = async (options: Partial<GuardOptions> = {}) => {
    const ran: string[] = [];
    const tool = betaTool({
      name: "write",
      description: "Writes",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      run: ({ path }) => {
        ran.push(path);
        return `wrote ${path}`;
      },
    });
    const client = new Anthropic({ apiKey: "none", baseURL: model.url });
    const runner = client.beta.messages.toolRunner({
      ...{ model: "fake", max_tokens: 100, stream },
      messages: [{ role: "user", content: "go" }],
      tools: guardRunnable([tool], { ...(await openKit()), ...options }),
    });
    for await (const turn of runner) if ("finalMessage" in turn) await turn.finalMessage();
    return ran;
  };

  it.each(PLAIN_OUTCOMES)("%s", async (path, expected, told) => {
    model.play([write(path)]);
    expect(await drive()).toEqual(expected);
    expect(model.told()).toContain(told);
  });

  it("asks a person, and runs the approved call", async () => {
    const asked: unknown[] = [];
    model.play([write("ask"), write("a", "c2")], [write("ask", "c3")]);
    const ran = await drive({
      ask: (question) => ({
        approved: asked.push(question) === 1,
        by: "ada",
        reason: "Once is enough",
      }),
    });
    expect(ran.toSorted()).toEqual(["a", "ask"]);
    expect(asked[0]).toMatchObject({ tool: "write", args: { path: "ask" } });
    expect(model.told()).toContain("A person (ada) refused this call: Once is enough");
  });
});

it("the tool runner of Anthropic keeps tools of the provider, and refuses a toolset that it cannot guard", async () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const kit = await openKit();
  expect(guardRunnable([search], kit)).toEqual([search]);
  const toolset = { type: "browser_toolset_20260801", run: () => [] };
  expect(() => guardRunnable([toolset], kit)).toThrow("A toolset cannot be guarded");
});

async function loop(options: Partial<GuardOptions> = {}, file?: string) {
  const ran: string[] = [];
  const functions = {
    write: ({ path }: { readonly path: string }) => ran.push(path) && `wrote ${path}`,
    count: () => ({ files: 3 }),
    nothing: () => undefined,
  };
  return { ran, ...guardFunctions(functions, { ...(await openKit(file)), ...options }) };
}

describe("your own loop", () => {
  it("over OpenAI judges each call and always returns a result for the model", async () => {
    const { ran, call } = await loop();
    const client = new OpenAI({ apiKey: "none", baseURL: model.url });
    model.play([write("a", "1"), write("secret", "2"), write("broken", "3"), write("ask", "4")]);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
    const { choices } = await client.chat.completions.create({ model: "fake", messages });
    const results = [];
    for (const { id, ...made } of choices[0]?.message.tool_calls ?? [])
      if (made.type === "function")
        results.push(await call({ id, tool: made.function.name, args: made.function.arguments }));
    expect(ran).toEqual(["a"]);
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, false]);
    expect(results.map(({ question }) => question !== undefined)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it("returns results as text, and refuses input that is not a call", async () => {
    const { call } = await loop();
    const made = (tool: string, args: unknown = {}) => call({ id: tool, tool, args });
    expect(await made("count")).toEqual({ ok: true, content: '{"files":3}' });
    expect(await made("nothing")).toEqual({ ok: true, content: "null" });
    for (const [tool, args] of [
      ["toString", {}],
      ["write", "{"],
      ["write", '{"path":"a","path":"secret"}'],
      ["write", "[]"],
      ["write", null],
    ] as const)
      expect(await made(tool, args)).toMatchObject({ ok: false });
  });

  it("makes a call again once with a person's answer, in another process", async () => {
    const file = join(folder, "r.db");
    const { ran, call } = await loop({}, file);
    const use = { id: "c1", tool: "write", args: { path: "ask" } };
    const again = (made: object) => resume({ file, use: made, approved: true });
    const refused = { ok: false, content: expect.any(String) as unknown };
    // Nobody asked about this call, neither the first time nor the second.
    const forged = { ...use, id: "c2" };
    expect([again(forged), again(forged)]).toEqual([refused, refused]);
    expect(await call(use)).toMatchObject({ ok: false, question: expect.any(String) as unknown });
    expect(again(use)).toEqual({ ok: true, content: "wrote ask" });
    expect(again(use)).toEqual(refused);
    expect(ran).toEqual([]);
  });

  it("denies a call that a person refuses, or about which asking failed", async () => {
    const no = await loop({ ask: () => ({ approved: false, by: "ada" }) });
    const use = { id: "c1", tool: "write", args: { path: "ask" } };
    expect((await no.call(use)).content).toContain("A person (ada) refused this call");
    const down = await loop({ ask: () => Promise.reject(new Error("The chat is down")) });
    expect(await down.call(use)).toEqual({ ok: false, content: "The chat is down" });
    expect([no.ran, down.ran]).toEqual([[], []]);
  });

  it("judges finished responses", async () => {
    const { respond, names } = await loop();
    expect(await respond({ text: "Done" })).toEqual({
      kind: "retry",
      message: "The tests were not run.",
    });
    expect(await respond({ text: "The tests pass" })).toEqual({ kind: "accepted" });
    expect(await names()).toEqual(["write", "count", "nothing"]);
  });
});
