import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules, runChild } from "@bylaw/testing";
import {
  Agent,
  Usage,
  setTracingDisabled,
  tool,
  type Model,
  type ModelRequest,
} from "@openai/agents";
import { z } from "zod";
import { guardTools, type GuardOptions } from "../src/index.ts";

setTracingDisabled(true);

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(file?: string) {
  const kernel = createKernel({ plugins: [pathRules], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  const run = await openRun(kernel, { run: "r", join: true, ...kept });
  return { kernel, run, agent: "bot", cwd: "/w", home: "/h" };
}

type Calls = readonly { readonly id: string; readonly path: string }[];

/** A model that makes these calls, one list per turn, and then answers with `text`. */
export class FakeModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #turns: Calls[];
  readonly #text: string;

  constructor(turns: readonly Calls[] = [], text = "done") {
    this.#turns = [...turns];
    this.#text = text;
  }

  /** The results that the model got for its calls. */
  get told(): string {
    const { input = [] } = this.requests.at(-1) ?? {};
    const results = typeof input === "string" ? [] : input;
    return JSON.stringify(
      results.flatMap((one) => (one.type === "function_call_result" ? [one.output] : [])),
    );
  }

  async getResponse(request: ModelRequest) {
    this.requests.push(request);
    const calls = this.#turns.shift();
    const output =
      calls === undefined
        ? [
            {
              ...({ type: "message", role: "assistant", status: "completed" } as const),
              content: [{ type: "output_text" as const, text: this.#text }],
            },
          ]
        : calls.map(({ id, path }) => ({
            ...({ type: "function_call", name: "write", status: "completed" } as const),
            ...{ callId: id, arguments: JSON.stringify({ path }) },
          }));
    return { usage: new Usage(), output };
  }

  async *getStreamedResponse(request: ModelRequest) {
    const { output } = await this.getResponse(request);
    const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: "response_done" as const, response: { id: "r", usage, output } };
  }
}

/** An agent that records which tools ran. */
export function agentNoting(
  ran: string[],
  model: FakeModel,
  options: GuardOptions,
  needsApproval = false,
) {
  const write = tool({
    name: "write",
    description: "Writes",
    parameters: z.object({ path: z.string() }),
    needsApproval,
    execute: ({ path }) => {
      ran.push(path);
      return `wrote ${path}`;
    },
  });
  const { tools, outputGuardrail } = guardTools([write], options);
  return { agent: new Agent({ name: "bot", model, tools }), outputGuardrail };
}

/** Goes on in another process, with a person's answer. */
export function resume(file: string, saved: string, yes = true) {
  const child = new URL("resume.ts", import.meta.url);
  return runChild<{ ran: string[]; told: string }>(child, { file, saved, yes });
}
