import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import OpenAI from "openai";
import { zodFunction } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
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
const schema = z.object({ path: z.string() });
const OUTCOMES = [
  ["deny>a", ["a"], "wrote a"],
  ["ask>a", ["a"], "wrote a"],
  ["deny>secret", [], "Not this file."],
  ["deny>uncovered", [], "Use `uncovered` instead."],
  ["deny>ask", [], "Use `ask` instead."],
  ["deny>7", [], "does not accept the arguments that a rule offers instead"],
] as const;

describe.each([false, true])("the tool runner of Anthropic, streaming: %s", (stream) => {
  const drive = async (options: Partial<GuardOptions> = {}) => {
    const ran: string[] = [];
    const inputs: unknown[] = [];
    const tool = betaZodTool({
      name: "write",
      description: "Writes",
      // The SDK's types are for another version of zod.
      inputSchema: schema as never,
      run: (args: unknown, context) => {
        const { path } = schema.parse(args);
        ran.push(path);
        const { toolUse, toolUseBlock } = context ?? {};
        inputs.push(toolUse?.input, toolUseBlock?.input);
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
    return { ran, inputs };
  };

  it.each(OUTCOMES)("%s", async (path, expected, told) => {
    model.play([write(path)]);
    const { ran, inputs } = await drive();
    expect(ran).toEqual(expected);
    expect(inputs).toEqual(expected.flatMap((one) => [{ path: one }, { path: one }]));
    expect(model.told()).toContain(told);
  });

  it("asks a person only about a call that does not run as another", async () => {
    const asked: unknown[] = [];
    const ask = ({ args }: { readonly args: unknown }) => ({ approved: asked.push(args) > 0 });
    model.play([write("ask>a"), write("ask>ask-2", "c2")]);
    expect((await drive({ ask })).ran.toSorted()).toEqual(["a", "ask>ask-2"]);
    expect(asked).toEqual([{ path: "ask>ask-2" }]);
  });
});

describe.each([
  [false, "parsed"],
  [true, "parsed"],
  [false, "zod"],
  [true, "zod"],
  [false, "text"],
])("the tool runner of OpenAI, streaming: %s, arguments: %s", (stream, kind) => {
  it.each([...OUTCOMES, ...PLAIN_OUTCOMES])("%s", async (path, expected, told) => {
    const ran: string[] = [];
    const named = { name: "write", description: "Writes" };
    const work = (args: { path: string }) => ran.push(args.path) && `wrote ${args.path}`;
    const parse = (args: string) => schema.parse(JSON.parse(args));
    const asText = (args: unknown) => work(parse(String(args)));
    const own = kind === "text" ? { function: asText } : { function: work, parse };
    const tool =
      kind === "zod"
        ? zodFunction({ ...named, parameters: schema, function: work })
        : { type: "function" as const, function: { ...named, parameters: {}, ...own } };
    const client = new OpenAI({ apiKey: "none", baseURL: model.url });
    const body = {
      model: "fake",
      messages: [{ role: "user" as const, content: "go" }],
      tools: guardRunnable([tool as object], await openKit()) as never,
    };
    model.play([write(path)]);
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream })
      : client.chat.completions.runTools(body);
    const final = runner.finalContent();
    // Without `parse`, the function itself reads its arguments, and its error ends the runner.
    if (kind === "text" && path === "deny>7")
      await expect(final).rejects.toThrow("expected string");
    else expect(await final).toBe("done");
    expect(ran).toEqual(expected);
    if (kind !== "text" || path !== "deny>7") expect(model.told()).toContain(told);
  });
});

describe("your own loop", () => {
  const loop = async (file?: string) => {
    const ran: string[] = [];
    const functions = { write: (args: unknown) => ran.push(schema.parse(args).path) };
    const kit = await openKit(file);
    return { ran, run: kit.run, ...guardFunctions(functions, kit) };
  };

  it.each(OUTCOMES)("%s", async (path, expected) => {
    const { ran, run, call } = await loop();
    const { ok } = await call({ id: "c1", tool: "write", args: { path } });
    expect([ran, ok]).toEqual([expected, expected.length > 0]);
    // Begun, denied or asked, decided again, done if it started.
    expect(run.head).toBe(expected.length > 0 || path === "deny>7" ? 4 : 3);
  });

  it("takes a person's answer for the call that was asked about, in another process", async () => {
    const file = join(folder, "r.db");
    const { call, ran } = await loop(file);
    const use = (path: string) => ({ id: "c1", tool: "write", args: { path } });
    const again = (path: string) => resume({ file, use: use(path), approved: true });
    expect(await call(use("ask>ask-2"))).toHaveProperty("question");
    expect(again("ask-2")).toMatchObject({ ok: false });
    expect(again("ask>ask-2")).toEqual({ ok: true, content: "wrote ask>ask-2" });
    expect(await call(use("ask>a"))).toMatchObject({ ok: true });
    expect(again("ask>a")).toMatchObject({ ok: false });
    expect(ran).toEqual(["a"]);
  });
});
