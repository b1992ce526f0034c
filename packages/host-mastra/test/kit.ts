import { createKernel, type Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules, runChild } from "@bylaw/testing";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { z } from "zod";
import { guardTools, type GuardOptions } from "../src/index.ts";

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(
  file?: string,
): Promise<{ readonly kernel: Kernel; readonly run: Run }> {
  const kernel = createKernel({ plugins: [pathRules], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  return { kernel, run: await openRun(kernel, { run: "r", join: true, ...kept }) };
}

/** Tools that record which of them ran. `own`: options of the first one. */
const toolsNoting = (ran: string[], own: object) => ({
  write: createTool({
    ...own,
    id: "write",
    description: "Writes a file",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => {
      ran.push(path);
      return `wrote ${path}`;
    },
  }),
  look: createTool({
    id: "look",
    description: "Looks at a file",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => {
      ran.push(path);
      return `saw ${path}`;
    },
  }),
});

/** A guarded agent and what it did. */
export async function openAgent(
  model: MockLanguageModelV4,
  {
    file,
    own = {},
    ...options
  }: Partial<GuardOptions> & { readonly file?: string; readonly own?: object } = {},
) {
  const ran: string[] = [];
  const kit = { ...(await openKit(file)), agent: "bot", cwd: "/w", home: "/h", ...options };
  const guarded = guardTools(toolsNoting(ran, own), kit);
  const agent = new Agent({
    id: "bot",
    name: "Bot",
    instructions: "Write.",
    // The mock satisfies a later version of the model's types than Mastra names.
    model: model as never,
    maxProcessorRetries: 1,
    ...guarded.agent,
  });
  const storage = new InMemoryStore();
  const mastra = new Mastra({ agents: { agent }, storage, logger: false });
  return {
    ...kit,
    ran,
    agent: mastra.getAgent("agent"),
    storage,
    tools: guarded.agent.tools,
    answer: guarded.answer,
  };
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

type Streamed = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"];
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;

/** A model that makes these calls, one list per turn, and then answers with `text`. */
export function modelCalling(
  turns: readonly (readonly { id: string; tool?: string; path: string; more?: object }[])[],
  text = "All tests pass",
): MockLanguageModelV4 {
  let turn = 0;
  const next = () => {
    const calls = turns[turn++];
    const content = calls?.map(({ id, tool: toolName = "write", path, more }) => ({
      ...({
        type: "tool-call",
        toolCallId: id,
        toolName,
        input: JSON.stringify({ path, ...more }),
      } as const),
    })) ?? [{ type: "text", text } as const];
    const unified = calls === undefined ? ("stop" as const) : ("tool-calls" as const);
    return { content, finishReason: { unified, raw: undefined } };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => ({ ...next(), usage, warnings: [] }),
    doStream: async () => {
      const { content, finishReason } = next();
      return {
        stream: simulateReadableStream<StreamPart>({
          chunks: [
            { type: "stream-start", warnings: [] },
            ...content.flatMap(streamed),
            { type: "finish" as const, finishReason, usage },
          ],
        }),
      };
    },
  });
}

type Part = { readonly type: "text"; readonly text: string } | ToolCall;
type ToolCall = Extract<StreamPart, { readonly type: "tool-call" }>;
const streamed = (part: Part): readonly StreamPart[] =>
  part.type === "tool-call"
    ? [part]
    : [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: part.text },
        { type: "text-end", id: "t" },
      ];

/** Everything that the model was told, as text. */
export const toldBy = ({ doGenerateCalls, doStreamCalls }: MockLanguageModelV4): string =>
  JSON.stringify([...doGenerateCalls, ...doStreamCalls].at(-1)?.prompt ?? null);

/** Goes on in another process, with a person's answer. */
export function resume(kept: object, approved = true) {
  const child = new URL("resume.ts", import.meta.url);
  return runChild<{ ran: string[]; told: string }>(child, { ...kept, approved });
}
