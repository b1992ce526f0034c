// The time of judging a response, of keeping track of it, and of the whole of it in a run that is kept in memory.
import { cpus } from "node:os";
import { createKernel, type Kernel, type LogEvent, type Response, type Subject } from "@bylaw/kernel";
import { agentTurns, consensusState, createMemoryStore, openRun, type Run } from "@bylaw/log";
import { conclude, consensus, openConsensus, showAnswers } from "@bylaw/plugin-consensus";
import { reasons } from "@bylaw/plugin-reasons";

const SAMPLES = 4_000;
const AGENTS = Array.from({ length: 50 }, (_, index) => `agent-${String(index).padStart(2, "0")}`);
const TOOLS = [...Array.from({ length: 40 }, (_, index) => `tool_${index}`), "vote", "new_answer"];

const words = (count: number, step: number): string => Array.from({ length: count }, (_, index) => `word${(index * step) % 977}`).join(" ");
const vote = (agent_id: string) => ({ tool: "vote", args: { agent_id, reason: "it is right" } });
const answer = (content: string) => ({ tool: "new_answer", args: { content } });

const RESPONSES: Readonly<Record<string, Omit<Response, "hook">>> = {
  "a vote": { text: words(100, 3), tool_calls: [vote("agent1")] },
  "an answer of 300 words": { tool_calls: [answer(words(300, 11))] },
  "a vote for nobody": { tool_calls: [vote("agent99")] },
  "an unknown tool among 42": { tool_calls: [{ tool: "execute_command", args: { command: "ls" } }] },
  "text alone, 300 words": { text: words(300, 7) },
};

async function begin(kernel: Kernel): Promise<Run> {
  const run = await openRun(kernel, { run: "bench", store: createMemoryStore() });
  await openConsensus(run, { agents: AGENTS });
  for (const [index, agent] of AGENTS.slice(0, 3).entries()) {
    await run.respond({ agent, tool_calls: [answer(words(300, index + 2))] });
    await conclude(run, agent);
  }
  for (const agent of AGENTS) await showAnswers(run, agent);
  return run;
}

async function report(name: string, work: (index: number) => unknown, samples = SAMPLES): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const start = performance.now();
    const done = work(index);
    if (done instanceof Promise) await done;
    times.push((performance.now() - start) * 1_000);
  }
  times.sort((left, right) => left - right);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1).padStart(8);
  console.log(`${name.padEnd(52)} p50 ${at(0.5)} µs   p99 ${at(0.99)} µs`);
}

console.log(`${cpus()[0]?.model ?? "?"}, Node ${process.version}, three answers on record, ${AGENTS.length} agents\n`);
const workflow_tools = { vote: "vote", new_answer: "answer" } as const;
for (const novelty of ["lenient", "balanced"] as const) {
  const kernel = createKernel({ plugins: [reasons({ workflow_tools, novelty }), consensus()] });
  const run = await begin(kernel);
  for (const [name, response] of Object.entries(RESPONSES)) {
    const subject: Subject = await kernel.prepare({
      hook: "onEnforcement",
      agent: "agent-49",
      available_tools: TOOLS,
      attempt: 1,
      ...response,
    });
    await report(`judge ${name} (${novelty})`, () => kernel.decide(subject, run.view));
  }
}

const kernel = createKernel({ plugins: [reasons({ workflow_tools }), consensus()] });
const run = await begin(kernel);
const violation = { agent: "agent-49", available_tools: TOOLS, text: words(100, 3), tool_calls: [{ tool: "execute_command" }] };
const { events } = await run.respond(violation);
const [event] = events;
if (event === undefined) throw new Error("Unexpected silence, expected an event");
let turns = run.view(agentTurns);
let state = run.view(consensusState);
await report(
  "keep track of a violation (both projections)",
  (index) => {
    const next: LogEvent = { ...event, agent_id: AGENTS[index % AGENTS.length] ?? null, sequence: index + 1 };
    turns = agentTurns.reduce(turns, next);
    state = consensusState.reduce(state, next);
  },
  10_000,
);
await report("a violation in a run, in memory", (index) => run.respond({ ...violation, agent: `other-${index}` }), 1_500);
