import { createKernel, type Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules } from "@bylaw/testing";
import { tool } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { z } from "zod";

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(
  file?: string,
): Promise<{ readonly kernel: Kernel; readonly run: Run }> {
  const kernel = createKernel({ plugins: [pathRules], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  return { kernel, run: await openRun(kernel, { run: "r", join: true, ...kept }) };
}

/** Tools that record which of them ran. */
export const toolsNoting = (ran: string[]) => ({
  write: tool({
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => {
      ran.push(path);
      return `wrote ${path}`;
    },
  }),
  look: tool({
    inputSchema: z.object({ path: z.string() }),
    async *execute({ path }) {
      yield `looking at ${path}`;
      ran.push(path);
      yield `saw ${path}`;
    },
  }),
});
export type Tools = ReturnType<typeof toolsNoting>;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

type Streamed = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"];
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;

/** A model that makes these calls, one list per turn, and then answers with `text`. */
export function modelCalling(
  turns: readonly (readonly { id: string; tool?: string; path: string }[])[],
  text = "done",
): MockLanguageModelV4 {
  let turn = 0;
  const next = () => {
    const calls = turns[turn++];
    const content = calls?.map(({ id, tool: toolName = "write", path }) => ({
      ...({
        type: "tool-call",
        toolCallId: id,
        toolName,
        input: JSON.stringify({ path }),
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

/** The results that the model got for its last calls. */
export const toldBy = ({
  doGenerateCalls,
  doStreamCalls,
}: MockLanguageModelV4): readonly unknown[] => {
  const last = [...doGenerateCalls, ...doStreamCalls].at(-1)?.prompt.at(-1);
  return last?.role === "tool"
    ? last.content.map((part) => (part.type === "tool-result" ? part.output : part))
    : [];
};
