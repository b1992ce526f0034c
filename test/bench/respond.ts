// Measures judging a response, keeping track of it, both in a run in memory, and writing a status file. Each is measured next to
// its floor, in the same run.
import { statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import {
  createKernel,
  type Kernel,
  type LogEvent,
  type Response,
  type Subject,
} from "@bylaw/kernel";
import { agentTurns, chainEvents, createMemoryStore, openRun, type Run } from "@bylaw/log";
import { consensusState } from "@bylaw/consensus";
import { recordResponse, consensus, openConsensus, showAnswers } from "@bylaw/plugin-consensus";
import { reasons } from "@bylaw/plugin-reasons";
import { createStatus, status } from "@bylaw/plugin-status";
import { benchFolder } from "./bench-kit.ts";

const SAMPLES = 4_000;
const AGENTS = Array.from({ length: 50 }, (_, index) => `agent-${String(index).padStart(2, "0")}`);
const TOOLS = [...Array.from({ length: 40 }, (_, index) => `tool_${index}`), "vote", "new_answer"];

const words = (count: number, step: number): string =>
  Array.from({ length: count }, (_, index) => `word${(index * step) % 977}`).join(" ");
const vote = (agent_id: string) => ({ tool: "vote", args: { agent_id, reason: "it is right" } });
const answer = (content: string) => ({ tool: "new_answer", args: { content } });

const RESPONSES: Readonly<Record<string, Omit<Response, "hook">>> = {
  "a vote": { text: words(100, 3), tool_calls: [vote("agent1")] },
  "an answer of 300 words": { tool_calls: [answer(words(300, 11))] },
  "a vote for nobody": { tool_calls: [vote("agent99")] },
  "an unknown tool among 42": {
    tool_calls: [{ tool: "execute_command", args: { command: "ls" } }],
  },
  "text alone, 300 words": { text: words(300, 7) },
};

async function begin(kernel: Kernel): Promise<Run> {
  const run = await openRun(kernel, { run: "bench", store: createMemoryStore() });
  await openConsensus(run, { agents: AGENTS });
  for (const [index, agent] of AGENTS.slice(0, 3).entries()) {
    await run.respond({ agent, tool_calls: [answer(words(300, index + 2))] });
    await recordResponse(run, agent);
  }
  for (const agent of AGENTS) await showAnswers(run, agent);
  return run;
}

async function report(
  name: string,
  work: (index: number) => unknown,
  samples = SAMPLES,
): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const start = performance.now();
    const done = work(index);
    if (done instanceof Promise) await done;
    times.push((performance.now() - start) * 1_000);
  }
  times.sort((left, right) => left - right);
  const at = (share: number): string =>
    (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1).padStart(8);
  console.log(`${name.padEnd(52)} p50 ${at(0.5)} µs   p99 ${at(0.99)} µs`);
}

console.log(
  `${cpus()[0]?.model ?? "?"}, Node ${process.version}, three answers on record, ${AGENTS.length} agents\n`,
);
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
    await report(`judge ${name} (${novelty})`, () => kernel.decidePrepared(subject, run.view));
  }
}

const kernel = createKernel({ plugins: [reasons({ workflow_tools }), consensus()] });
const run = await begin(kernel);
const violation = {
  agent: "agent-49",
  available_tools: TOOLS,
  text: words(100, 3),
  tool_calls: [{ tool: "execute_command" }],
};
const { events } = await run.respond(violation);
const [event] = events;
if (event === undefined) throw new Error("No event was recorded");
const agentAt = (index: number): string => AGENTS[index % AGENTS.length] ?? "";
const violationOf = (index: number): LogEvent => ({
  ...event,
  agent_id: agentAt(index),
  sequence: index + 1,
});

console.log("\nkeeping track of a violation, without the disk (a target of p50 50 µs)");
const lists = new Map<string, object[]>();
await report(
  "floor: a copy of the event, put into a list",
  (index) => {
    const { agent_id, details } = violationOf(index);
    const list = lists.get(agent_id ?? "") ?? [];
    list.push({ ...details });
    lists.set(agent_id ?? "", list);
  },
  10_000,
);
let turns = run.view(agentTurns);
let state = run.view(consensusState);
const fold = createStatus();
await report(
  "both projections",
  (index) => {
    const next = violationOf(index);
    turns = agentTurns.reduce(turns, next);
    state = consensusState.reduce(state, next);
  },
  10_000,
);
await report("the status of the run", (index) => fold.add([violationOf(index)]), 10_000);
const complies = { available_tools: TOOLS, text: words(100, 3), tool_calls: [vote("agent1")] };
await report(
  "floor: a response in a run that complies, in memory",
  (index) => run.respond({ ...complies, agent: agentAt(index) }),
  1_500,
);
await report(
  "a violation in it",
  (index) => run.respond({ ...violation, agent: agentAt(index), max_attempts: 9_999 }),
  1_500,
);

console.log(
  `\na status of ${AGENTS.length} agents and 10,000 events (a target of 20 ms without the disk)`,
);
const begin_at = Date.parse("2026-01-17T09:00:00Z");
const log = chainEvents(
  undefined,
  Array.from({ length: 10_000 }, (_, index) => {
    const { sequence: _sequence, hash: _hash, ...given } = violationOf(index);
    return {
      ...given,
      timestamp: new Date(begin_at + index).toISOString(),
      details: { ...given.details, round: 1 + Math.floor(index / 150) },
    };
  }),
);
const whole = createStatus();
whole.add(log);
const bytes = whole.bytes();
const folder = benchFolder();
const text = whole.text();
await report(
  `floor: its text to UTF-8, ${(bytes.byteLength / 1e6).toFixed(1)} MB`,
  () => Buffer.from(text),
  50,
);
let added = log.length;
await report(
  "its parts, after one event more each time",
  () => {
    whole.add([{ ...violationOf(added), sequence: (added += 1) }]);
    whole.parts();
  },
  50,
);
await report(
  "floor: a file of so many bytes, synchronised and renamed",
  async () => {
    const file = await open(join(folder, "new"), "w");
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    await rename(join(folder, "new"), join(folder, "floor.json"));
  },
  20,
);
const place = { configFile: join(folder, "bylaw.config.ts") };
const store = createMemoryStore();
await store.commit({ run: "kept", events: log, seen: 0 });
const kept = await openRun(
  createKernel(
    { plugins: [reasons({ workflow_tools }), consensus(), status({ every_ms: 0 })] },
    place,
  ),
  { ...{ run: "kept", store } },
);
const path = join(folder, ".bylaw/runs/kept/status.json");
// Each text is a new file that replaces the one before it.
const inode = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
while (inode() === undefined) await new Promise(setImmediate);
await report(
  "from a response until the file has it",
  async (index) => {
    const before = inode();
    await kept.respond({ ...violation, agent: agentAt(index) });
    while (inode() === before) await new Promise(setImmediate);
  },
  20,
);
await kept.close();

console.log("\na tool call on the happy path");
const call = { agent: "agent-49", tool: "tool_1", args: { path: "a.md" } };
for (const [name, plugins] of [
  ["floor: a run without plugins", []],
  [
    "the same with reasons, consensus and status",
    [reasons({ workflow_tools }), consensus(), status({ every_ms: 60_000 })],
  ],
] as const) {
  const plain = await openRun(createKernel({ plugins, fallback: "allow" }, place), {
    run: `calls-${plugins.length}`,
  });
  for (let index = 0; index < 500; index += 1) await plain.toolCall(call);
  await report(name, () => plain.toolCall(call), 2_000);
  await plain.close();
}
