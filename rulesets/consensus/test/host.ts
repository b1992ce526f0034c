import { createKernel, type Config, type Response } from "@bylaw/kernel";
import {
  createMemoryStore,
  openRun,
  turnOf,
  agentTurns,
  type OpenOptions,
  type Run,
} from "@bylaw/log";
import {
  recordResponse,
  openConsensus,
  pendingAnswers,
  showAnswers,
  allowedTurn,
  workflowTools,
} from "@bylaw/plugin-consensus";
import { retryInput, type RetryInput } from "@bylaw/plugin-reasons";
import { consensus } from "../src/index.ts";

type Said = Pick<Response, "text" | "tool_calls">;

/** The input of an agent before it speaks: the answers that it has not seen, and what was wrong with its last response. */
export interface Prompt {
  readonly answers: readonly string[];
  readonly retry: RetryInput | undefined;
  readonly tools: readonly string[];
}

/** A model that returns prepared responses. */
export type Script = readonly (Said | ((prompt: Prompt) => Said))[];

export const vote = (agent_id: string): Said => ({
  text: "I compared them.",
  tool_calls: [{ id: "v", tool: "vote", args: { agent_id, reason: "it is right" } }],
});
export const answer = (content: string): Said => ({
  text: "",
  tool_calls: [{ id: "n", tool: "new_answer", args: { content } }],
});
export const says = (text: string): Said => ({ text, tool_calls: [] });
export const calls = (tool: string): Said => ({
  text: "",
  tool_calls: [{ id: "c", tool, args: {} }],
});

const TOOLS = ["read_file", "vote", "new_answer"];

/** Opens a run under the ruleset, with agents that take part. */
export async function begin(
  terms: Omit<Parameters<typeof openConsensus>[1], "agents"> & {
    readonly agents?: readonly string[];
  } = {},
  { config = {}, ...options }: Partial<OpenOptions> & { readonly config?: Partial<Config> } = {},
): Promise<Run> {
  const kernel = createKernel({ extends: [consensus], fallback: "allow", ...config });
  const run = await openRun(kernel, { run: "poem", store: createMemoryStore(), ...options });
  const { agents = ["a", "b", "c"], ...others } = terms;
  await openConsensus(run, { agents, ...others });
  return run;
}

export const turn = (run: Run, agent: string) => turnOf(run.view(agentTurns), agent);

/** Runs one turn of an agent as an orchestrator does: show, ask, try again, conclude. Returns each prompt. */
export async function takeTurn(
  run: Run,
  agent: string,
  script: Script,
): Promise<readonly Prompt[]> {
  const prompts: Prompt[] = [];
  let retry: RetryInput | undefined;
  await run.record([
    {
      event_type: "round_started",
      agent_id: agent,
      task_id: null,
      details: { round: turn(run, agent).round + 1 },
    },
  ]);
  for (const step of script) {
    const seen = await showAnswers(run, agent);
    const tools = workflowTools(run.view, agent, {
      tools: TOOLS,
      answer: ["new_answer"],
      vote: ["vote"],
    });
    const prompt = { answers: seen.map(({ content }) => content), retry, tools };
    prompts.push(prompt);
    const said = typeof step === "function" ? step(prompt) : step;
    const response = { ...said, agent, available_tools: tools };
    const outcome = await run.respond(response);
    if (outcome.applied === "allow") {
      const concluded = await recordResponse(run, agent);
      if (concluded?.kind !== "ignored") return prompts;
      await run.record([
        {
          event_type: "round_started",
          agent_id: agent,
          task_id: null,
          details: { round: turn(run, agent).round + 1 },
        },
      ]);
      continue;
    }
    retry = retryInput(outcome.decision, response);
    if (retry.kind === "none") return prompts;
  }
  return prompts;
}

/** Runs one turn of each agent after the other, until every remaining agent has voted on answers that all have seen. */
export async function drive(
  run: Run,
  scripts: Readonly<Record<string, readonly Script[]>>,
): Promise<void> {
  const left = new Map(Object.entries(scripts).map(([agent, turns]) => [agent, [...turns]]));
  for (let idle = 0; idle < left.size;) {
    idle = 0;
    for (const [agent, turns] of left) {
      const next = turns[0];
      const has = next !== undefined && !["wait", "out"].includes(allowedTurn(run.view, agent));
      if (!has) {
        idle += 1;
        continue;
      }
      turns.shift();
      await takeTurn(run, agent, next);
    }
  }
}

export const labels = (run: Run, agent: string): readonly string[] =>
  pendingAnswers(run.view, agent).map(({ label }) => label);
