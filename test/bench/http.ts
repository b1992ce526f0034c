// Compares `bylaw serve` with a server of the same framework that only answers: calls a second, latencies, processor time, memory.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "@bylaw/testing";
import { MACHINE, benchFolder, median, whole } from "./bench-kit.ts";
import { agentsOf, ask, asOperator, createTasks, move, type Agent } from "./http/agents.ts";
import { load, type Load, type Question } from "./http/load.ts";
import {
  cpuOf,
  databaseProcesses,
  memoryOf,
  startBylaw,
  startEcho,
  type Server,
} from "./http/servers.ts";
import { ARTIFACTS, CONTRACT } from "./workflow/contract.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    "cell-ms": { type: "string", default: "2000" },
    minutes: { type: "string", default: "0.5" },
  },
});
const ROUNDS = Number(values.rounds);
const CELL_MS = Number(values["cell-ms"]);
const MEMORY_MS = Number(values.minutes) * 60_000;
const CONNECTIONS = 64;
const TASKS = 10_000;
const MOVES = 200;

const folder = benchFolder();
const say = (text = ""): void => console.log(text);

let started = 0;
/** Starts a server with its own folder, or another server over the same store. */
async function bylaw(store?: string): Promise<Server> {
  started += 1;
  const home = join(folder, `node-${started}`);
  for (const path of ["work/src", "work/tests"]) mkdirSync(join(home, path), { recursive: true });
  for (const file of ["src/add.ts", "src/index.ts", "tests/add.test.ts"])
    writeFileSync(join(home, "work", file), "export {};\n");
  writeFileSync(join(home, "contract.yaml"), CONTRACT);
  const limits = { agent_per_second: 0 };
  const settings = {
    port: 0,
    contract: "contract.yaml",
    workspace: "work",
    data: "data",
    log: { level: "warn" },
    limits,
  };
  writeFileSync(
    join(home, "settings.json"),
    JSON.stringify({ ...settings, ...(store === undefined ? {} : { store }) }),
  );
  return startBylaw(join(home, "settings.json"));
}

interface Call {
  readonly tool_name: string;
  readonly args: object;
}

const QUESTION: Call = { tool_name: "ask_user_question", args: { question: "why?" } };
const FILE: Call = { tool_name: "write_files", args: { path: "src/add.ts" } };

const checks = (agents: readonly Agent[], call: Call, record: boolean): readonly Question[] =>
  agents.map(({ task, authorization }) => ({
    path: "/api/v1/tools/check",
    authorization,
    body: { task_id: task, ...call, record },
  }));

/** A setup under load: one server, or several that share the connections. */
interface Cell {
  readonly name: string;
  readonly servers: readonly Server[];
  readonly questions: readonly Question[];
  /** Process ids to measure besides the setup's own servers. */
  readonly processes?: () => readonly number[];
}

interface Measured extends Load {
  readonly cpu: number;
}

async function measure(
  { servers, questions, processes = () => [] }: Cell,
  ms = CELL_MS,
): Promise<Measured> {
  const taken = (): ReadonlyMap<number, number> =>
    cpuOf([...servers.map(({ pid }) => pid), ...processes()]);
  const before = taken();
  const share = Math.ceil(questions.length / servers.length);
  const loads = await Promise.all(
    servers.map(({ url }, at) =>
      load(new URL(url).origin, questions.slice(at * share, (at + 1) * share), ms),
    ),
  );
  const count = loads.reduce((sum, one) => sum + one.count, 0);
  const cpu = [...taken()].reduce((sum, [pid, after]) => sum + after - (before.get(pid) ?? 0), 0);
  return {
    ...{ rate: loads.reduce((sum, one) => sum + one.rate, 0), count, cpu: cpu / count },
    ...{
      p50: Math.max(...loads.map(({ p50 }) => p50)),
      p99: Math.max(...loads.map(({ p99 }) => p99)),
    },
  };
}

/** Medians over rounds in which all are loaded in turn. Each ratio compares values of the same round. */
async function compare(echo: Server, cells: readonly Cell[]): Promise<void> {
  const bare = {
    name: "echo",
    servers: [echo],
    questions: (cells[0]?.questions ?? []).map((question) => ({ ...question, path: "/echo" })),
  };
  const rows = [bare, ...cells].map((cell) => ({
    cell,
    rounds: [] as { readonly own: Measured; readonly floor: Measured }[],
  }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    let floor: Measured | undefined;
    for (const { cell, rounds } of rows) {
      const own = await measure(cell);
      floor ??= own;
      // The first round is for warming up.
      if (round > 0) rounds.push({ own, floor });
    }
  }
  say("| | calls/s | / echo | p50 ms | p99 ms | p99 / echo | CPU, µs a call |");
  say("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const { cell, rounds } of rows) {
    const middle = (of: (own: Measured, floor: Measured) => number, digits: number): string =>
      median(rounds.map(({ own, floor }) => of(own, floor))).toFixed(digits);
    const [rate, ratio] = [
      whole(median(rounds.map(({ own }) => own.rate))),
      middle((own, floor) => own.rate / floor.rate, 2),
    ];
    const times = [
      middle(({ p50 }) => p50, 1),
      middle(({ p99 }) => p99, 1),
      middle((own, floor) => own.p99 / floor.p99, 1),
    ];
    say(`| ${[cell.name, rate, ratio, ...times, middle(({ cpu }) => cpu, 0)].join(" | ")} |`);
  }
}

/** What agents notice with ten thousand tasks in the run, while others send requests without pause. */
async function underLoad(server: Server, agents: readonly Agent[]): Promise<void> {
  const waiting = Array.from({ length: TASKS }, (_, at) => `waiting-${at}`);
  await createTasks(server.url, waiting);
  // A task that depends on all the others has the largest possible snapshot.
  await ask(server.url, "/tasks", asOperator, { tasks: [{ id: "last", dependencies: waiting }] });
  const [mover] = await agentsOf(server.url, 1, "mover", "WORK");
  if (mover === undefined) throw new Error("There is no agent");
  const text = JSON.stringify(await ask(server.url, "/state/snapshot?task_id=last", asOperator));
  const questions = checks(agents, FILE, true);
  const loaded = measure({ name: "", servers: [server], questions }, 3 * CELL_MS);
  const until = performance.now() + 3 * CELL_MS;
  const times: number[] = [];
  let { authorization } = mover;
  for (let at = 0; at < MOVES && performance.now() < until; at += 1) {
    for (const [to, artifacts] of [
      ["REST", ARTIFACTS],
      ["WORK", {}],
    ] as const) {
      const start = performance.now();
      authorization = `Bearer ${await move(server.url, { ...mover, authorization }, to, artifacts)}`;
      if (to === "REST") times.push(performance.now() - start);
    }
  }
  const { p50, p99, rate } = await loaded;
  const sorted = times.toSorted((a, b) => a - b);
  const last = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  say(
    `${whole(TASKS)} tasks in the run, ${CONNECTIONS} connections at ${whole(rate)} recorded checks/s:`,
  );
  say(
    `a check p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${times.length} transitions through the gate, p50 ${median(times).toFixed(1)} ms, p99 ${last.toFixed(1)} ms;`,
  );
  say(
    `a page of the snapshot of a task that waits for all of them has ${(text.length / 1_024).toFixed(1)} KiB.`,
  );
}

/** Memory over time, under load: medians of the first and the last quarter after warming up. */
async function memory(server: Server, agents: readonly Agent[]): Promise<void> {
  await measure({ name: "", servers: [server], questions: checks(agents, QUESTION, true) });
  const loaded = measure(
    { name: "", servers: [server], questions: checks(agents, QUESTION, true) },
    MEMORY_MS,
  );
  const held: number[] = [];
  for (const until = performance.now() + MEMORY_MS; performance.now() < until; await sleep(500))
    held.push(memoryOf(server.pid));
  const { count } = await loaded;
  const quarter = Math.ceil(held.length / 4);
  const [first, last] = [median(held.slice(0, quarter)), median(held.slice(-quarter))];
  say(
    `${whole(count)} recorded checks in ${whole(MEMORY_MS / 1_000)} s: ${whole(first)} MiB in the first quarter, ${whole(last)} MiB in the last, ${whole(Math.max(...held))} at most.`,
  );
}

say(MACHINE);
say(
  `Medians of ${ROUNDS} rounds of ${CELL_MS} ms in which all are loaded in turn; ${CONNECTIONS} connections, as many agents, each with a task of its own.`,
);
say(
  "echo: the framework alone, which gets the same requests and answers with their bodies. The clients run on the same machine.\n",
);
const servers: Server[] = [];
const up = async (starting: Promise<Server>): Promise<Server> => {
  const server = await starting;
  servers.push(server);
  return server;
};
const postgres = await startPostgres({ fsync: true });
try {
  const echo = await up(startEcho());
  const node = await up(bylaw());
  const agents = await agentsOf(node.url, CONNECTIONS, "own", "WORK");
  const cells: Cell[] = [
    { name: "decision only", servers: [node], questions: checks(agents, QUESTION, false) },
    {
      name: "decision only, about a file",
      servers: [node],
      questions: checks(agents, FILE, false),
    },
    {
      name: "SQLite, a durable commit for each call",
      servers: [node],
      questions: checks(agents, QUESTION, true),
    },
    { name: "SQLite, about a file", servers: [node], questions: checks(agents, FILE, true) },
  ];
  const first = postgres && (await up(bylaw(postgres.url)));
  const shared = first && (await agentsOf(first.url, CONNECTIONS, "own", "WORK"));
  const onPostgres = (name: string, ...nodes: readonly Server[]): Cell => ({
    ...{
      name,
      servers: nodes,
      questions: checks(shared ?? [], QUESTION, true),
      processes: databaseProcesses,
    },
  });
  if (first !== undefined) cells.push(onPostgres("PostgreSQL, one node", first));
  await compare(echo, cells);
  if (postgres === undefined || first === undefined)
    say("\nPostgreSQL: not measured, no server here. Name one with BYLAW_POSTGRES_URL.");
  else {
    say("\nTwo nodes on one run:\n");
    await compare(echo, [
      onPostgres("PostgreSQL, two nodes", first, await up(bylaw(postgres.url))),
    ]);
  }
  say();
  await underLoad(node, agents);
  say();
  await memory(node, agents);
} finally {
  for (const server of servers) await server.stop();
  await postgres?.stop();
}
