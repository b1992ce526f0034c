// Floods `bylaw serve` with large bodies. Checks that it survives, answers others in time and bounds its memory. Exits with 1 if not.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { benchFolder, listensAt } from "./bench-kit.ts";
import { agentsOf, type Agent } from "./http/agents.ts";
import type { Attack } from "./http/attack.ts";
import { BYLAW, SECRETS, cpuOf, memoryOf } from "./http/servers.ts";
import { CONTRACT } from "./workflow/contract.ts";

const { values } = parseArgs({
  options: {
    anonymous: { type: "string", default: "900" },
    agent: { type: "string", default: "600" },
  },
});
const BODY_BYTES = 919_000;
const TIMEOUT_MS = 60_000;
/** How long the server is watched without an attack, as a baseline of the machine. */
const QUIET_MS = 3_000;
const BOUNDS = { health_p99_ms: 250, rss_mib: 1_024 };

const loop = fileURLToPath(import.meta.resolve("./http/loop.ts"));
const folder = benchFolder();

interface Flooded {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(): Promise<Flooded> {
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "contract.yaml"), CONTRACT);
  const settings = {
    port: 0,
    contract: "contract.yaml",
    workspace: "work",
    data: "data",
    log: { level: "error" },
  };
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
  const child = spawn(
    process.execPath,
    [
      "--import",
      loop,
      BYLAW,
      "serve",
      "--settings",
      join(folder, "settings.json"),
      "--allow-root",
      "--json",
    ],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...SECRETS },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    },
  );
  return { url: await listensAt(child), child };
}

/** The longest block of the server's event loop since the last question, in milliseconds. */
async function blockOf({ child }: Flooded): Promise<number> {
  child.send("block");
  const [ms] = (await once(child, "message")) as [number];
  return ms;
}

/** Small arrays nested 90 deep, as many as fit. */
const nested = (bytes: number): string => {
  const one = "[".repeat(90) + "]".repeat(90);
  return `[${Array.from({ length: Math.floor(bytes / (one.length + 1)) }, () => one).join(",")}]`;
};
const bodyOf = (task: string, tool: string, x: string): string =>
  `{"task_id":${JSON.stringify(task)},"tool_name":"${tool}","args":{"question":${x}}}`;

/** Attacks from another thread, so that the cost of the attack does not delay the health requests. */
async function attackFrom(url: string, one: Attack): Promise<readonly string[]> {
  const worker = new Worker(new URL("http/attack.ts", import.meta.url), {
    workerData: { url, attack: one },
  });
  const ended = once(worker, "exit");
  const [statuses] = (await once(worker, "message")) as [readonly string[]];
  await ended;
  return statuses;
}

interface Watched {
  readonly times: number[];
  failed: number;
  rss: number;
}

/** Requests the server's health twenty times a second, also on new connections, until the signal aborts. */
async function watch({ url, child }: Flooded, seen: Watched, until: AbortSignal): Promise<void> {
  const asking: Promise<void>[] = [];
  while (!until.aborted) {
    const began = performance.now();
    const asked = fetch(`${url}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    asking.push(
      asked.then(
        async (response) => {
          await response.text();
          seen.times.push(performance.now() - began);
        },
        () => void (seen.failed += 1),
      ),
    );
    seen.rss = Math.max(seen.rss, memoryOf(child.pid ?? 0));
    await sleep(50);
  }
  await Promise.all(asking);
}

interface Result {
  readonly name: string;
  readonly statuses: string;
  readonly watched: Watched;
  readonly block_ms: number;
  /** Processor time of the server, which other load on the machine hardly changes. */
  readonly cpu_ms: number;
  readonly lives: boolean;
}

async function flood(server: Flooded, one: Attack): Promise<Result> {
  const watched: Watched = { times: [], failed: 0, rss: 0 };
  await blockOf(server);
  const pid = server.child.pid ?? 0;
  const before = cpuOf([pid]).get(pid) ?? 0;
  const end = new AbortController();
  const watching = watch(server, watched, end.signal);
  const statuses = await attackFrom(server.url, one);
  if (one.count === 0) await sleep(QUIET_MS);
  end.abort();
  await watching;
  const lives = server.child.exitCode === null && server.child.signalCode === null;
  const counts = Object.entries(Object.groupBy(statuses, (status) => status)).map(
    ([status, of = []]) => `${of.length} x ${status}`,
  );
  const cpu_ms = ((cpuOf([pid]).get(pid) ?? Number.NaN) - before) / 1_000;
  return {
    name: one.name,
    statuses: counts.join(", "),
    watched,
    lives,
    cpu_ms,
    block_ms: lives ? await blockOf(server) : Number.NaN,
  };
}

const attacksOf = ({ task, authorization }: Agent): readonly Attack[] => {
  const anonymous = Number(values.anonymous);
  const agent = Number(values.agent);
  const large = bodyOf(task, "ask_user_question", nested(BODY_BYTES));
  const text = bodyOf(task, "ask_user_question", JSON.stringify("x".repeat(BODY_BYTES)));
  const small = bodyOf(task, "ask_user_question", nested(15_000));
  return [
    { name: "none", count: 0, path: "", body: "" },
    { name: "execute, no credential", count: anonymous, path: "/tools/execute", body: large },
    {
      name: "execute, no credential, small bodies",
      count: anonymous,
      path: "/tools/execute",
      body: small,
    },
    {
      name: "check, one agent, nested",
      count: agent,
      path: "/tools/check",
      authorization,
      body: large,
    },
    {
      name: "check, one agent, one long text",
      count: agent,
      path: "/tools/check",
      authorization,
      body: text,
    },
  ];
};

const server = await start();
let missed = false;
try {
  const [agent] = await agentsOf(server.url, 1, "own", "WORK");
  if (agent === undefined) throw new Error("No agent claimed a task");
  console.log(
    "| attack | requests | statuses | /health p50 ms | p99 ms | max ms | max RSS MiB | longest block ms | CPU of the server ms |",
  );
  console.log("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const one of attacksOf(agent)) {
    const { name, statuses, watched, block_ms, cpu_ms, lives } = await flood(server, one);
    const sorted = watched.times.toSorted((a, b) => a - b);
    const at = (part: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
    const figures = [at(0.5), at(0.99), at(1), watched.rss, block_ms, cpu_ms].map((value) =>
      value.toFixed(0),
    );
    console.log(`| ${[name, one.count, statuses, ...figures].join(" | ")} |`);
    const bad =
      !lives ||
      watched.failed > 0 ||
      !(at(0.99) < BOUNDS.health_p99_ms) ||
      !(watched.rss < BOUNDS.rss_mib);
    if (bad)
      console.log(
        `Missed: ${lives ? `${watched.failed} requests for /health failed, or a bound was exceeded` : "the server ended"}`,
      );
    missed ||= bad;
    if (!lives) break;
    // Wait until the agent's rate limit is no longer in force: it is not what is measured.
    await sleep(3_000);
  }
} finally {
  server.child.kill("SIGTERM");
  if (server.child.exitCode === null && server.child.signalCode === null)
    await once(server.child, "exit");
}
process.exitCode = missed ? 1 : 0;
