import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreReader } from "@bylaw/log";
import { openPostgresReader } from "@bylaw/store-postgres";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { startPostgres, type PostgresServer } from "@bylaw/testing";
import { BIN } from "../e2e/bylaw.ts";
import {
  OPERATOR,
  endServers,
  makeSite,
  startServer,
  type ServerProcess,
  type Site,
} from "../e2e/orchestrator-kit.ts";
import { SoakAgent } from "./agent.ts";
import { CONTRACT } from "./contract.ts";
import { Gate } from "./gate.ts";
import { Ledger, randomOf } from "./ledger.ts";
import { LogCheck } from "./log-check.ts";
import {
  descriptorsOf,
  leftFiles,
  medianOf,
  memoryOf,
  slopeOf,
  strayProcesses,
} from "./machine.ts";
import { EventFollower, workAsOperator, type Soak } from "./operator.ts";
import { Traffic } from "./traffic.ts";

export interface SoakOptions {
  readonly store: "sqlite" | "postgres";
  readonly steps: number;
  /** How long the clients work in a step, in milliseconds. */
  readonly step_ms: number;
  readonly agents: number;
  readonly pause_ms: number;
  readonly seed: number;
  /** Ends the soak after the current step. */
  readonly signal: AbortSignal;
  readonly onStep?: (step: StepReport) => void;
}

/** The result of one step. */
export interface StepReport {
  readonly step: number;
  /** How the server was ended in this step. */
  readonly ended: "SIGKILL" | "SIGTERM";
  /** From the signal until it listened again, in milliseconds. */
  readonly restart_ms: number;
  readonly requests: number;
  readonly acknowledged: number;
  readonly events: number;
  /** Resident memory once it was idle, in MiB. */
  readonly memory: number;
  readonly descriptors: number;
  /** The 99th percentile of the event loop delay under load, in milliseconds. */
  readonly lag: number;
  readonly left: number;
}

export interface SoakReport {
  readonly steps: readonly StepReport[];
  readonly counts: Readonly<Record<string, number>>;
  /** The growth of memory in MiB per step, without the first two steps. */
  readonly memory_slope: number;
  readonly faults: readonly string[];
}

/** The longest time for clients to finish, in milliseconds: twice the time for which they repeat a request. */
const REST_MS = 180_000;
const IDLE_MS = 1_000;
/** The limit of the event loop delay, in milliseconds, for the median of all steps, because a busy machine delays single ones. */
const LAG = 1_000;
/** The limit of memory growth from the second quarter to the last, in MiB and as a share. */
const GROWTH = { mebibytes: 64, share: 0.25 };
/** By how many the open file descriptors of two steps may differ. */
const DESCRIPTORS = 40;
/** How many first steps are left out of the memory figures, and from how many steps on figures are judged. */
const WARM_UP = 2;
const JUDGED = 10;

/**
 * Loads a server, ends and restarts it in every step, and checks after each that nothing was lost, done twice or left behind.
 * `undefined` if there is no PostgreSQL.
 */
export async function soak(options: SoakOptions): Promise<SoakReport | undefined> {
  const postgres = options.store === "postgres" ? await startPostgres({ fsync: true }) : undefined;
  if (options.store === "postgres" && postgres === undefined) return undefined;
  const site = makeSite([], CONTRACT);
  const session = new SoakSession(options, site, postgres);
  try {
    return await session.run();
  } finally {
    await endServers();
    await postgres?.stop();
  }
}

class SoakSession {
  readonly #options: SoakOptions;
  readonly #site: Site;
  readonly #postgres: PostgresServer | undefined;
  readonly #run = `soak-${process.pid}`;
  readonly #ledger = new Ledger();
  readonly #traffic = new Traffic(this.#ledger);
  readonly #check = new LogCheck(this.#ledger);
  readonly #stop = new AbortController();
  readonly #steps: StepReport[] = [];
  readonly #random: () => number;
  #server: ServerProcess | undefined;

  constructor(options: SoakOptions, site: Site, postgres: PostgresServer | undefined) {
    this.#options = options;
    this.#site = site;
    this.#postgres = postgres;
    this.#random = randomOf(options.seed);
  }

  async run(): Promise<SoakReport> {
    const { agents, pause_ms, seed, steps, signal, onStep } = this.#options;
    for (const folder of ["tmp", "work", "data"]) mkdirSync(this.#site.path(folder));
    process.env["TMPDIR"] = this.#site.path("tmp");
    await this.#start();
    const gate = new Gate(agents + 1);
    const soaked: Soak = {
      ...{
        site: this.#site,
        ledger: this.#ledger,
        traffic: this.#traffic,
        gate,
        stop: this.#stop.signal,
        pause_ms,
      },
      endpoint: () => this.#server?.url ?? "",
    };
    const follower = new EventFollower(soaked);
    const workers = Promise.all([
      workAsOperator(soaked, agents),
      ...Array.from({ length: agents }, (_, index) => new SoakAgent(soaked, index, seed).work()),
    ]);
    const following = follower.follow();
    for (let step = 1; step <= steps && !signal.aborted; step += 1) {
      const report = await this.#step(step, gate, follower);
      this.#steps.push(report);
      onStep?.(report);
      gate.open();
    }
    this.#stop.abort();
    await Promise.all([workers, following]);
    await this.#end();
    return this.#report();
  }

  async #start(): Promise<number> {
    const { url, port } = this.#server ?? { url: undefined, port: 0 };
    const began = performance.now();
    const store = this.#postgres === undefined ? {} : { store: this.#postgres.url };

    const settings = {
      run: this.#run,
      port,
      tasks: { create_on_claim: false },
      operate: { heartbeat_ms: 2_000 },
      log: { level: "error" },
    };
    this.#server = await startServer(this.#site, { ...store, ...settings });
    if (url !== undefined && url !== this.#server.url)
      this.#ledger.fault(`The server moved from ${url} to ${this.#server.url}`);
    return performance.now() - began;
  }

  async #step(step: number, gate: Gate, follower: EventFollower): Promise<StepReport> {
    const { step_ms } = this.#options;
    const before = [
      this.#ledger.counted("requests"),
      this.#ledger.counted("acknowledged"),
      this.#check.head,
    ] as const;
    const until = performance.now() + step_ms;
    await sleep(step_ms * (0.1 + 0.4 * this.#random()));
    const ended = this.#random() < 0.6 ? "SIGKILL" : "SIGTERM";
    const restart_ms = await this.#restart(ended);
    await sleep(Math.max(0, until - performance.now()));
    const lag = await this.#lag();
    await within(
      gate.close(),
      REST_MS,
      `Step ${step}: the clients did not come to rest in ${REST_MS / 1_000} s`,
    );
    const acknowledged = this.#ledger.takeAcknowledged();
    await this.#readLog([...acknowledged].filter((what) => !what.startsWith("wrote ")));
    if (acknowledged.size === 0) this.#ledger.fault(`Step ${step}: nothing was acknowledged`);
    this.#checkJournals([...acknowledged].filter((what) => what.startsWith("wrote ")));
    await this.#catchUp(follower);
    await sleep(IDLE_MS);
    const pid = this.#server?.pid ?? 0;
    const strays = await strayProcesses(this.#site.folder, pid);
    for (const command of strays)
      this.#ledger.fault(`Step ${step}: a process was left behind: ${command}`);
    const left = leftFiles(this.#site);
    // A killed server may leave what it was writing; nothing else may be left.
    if (ended === "SIGTERM")
      for (const file of left) this.#ledger.fault(`Step ${step}: a file was left behind: ${file}`);
    return {
      ...{ step, ended, restart_ms, lag, left: left.length },
      requests: this.#ledger.counted("requests") - before[0],
      acknowledged: this.#ledger.counted("acknowledged") - before[1],
      events: this.#check.head - before[2],
      memory: memoryOf(pid),
      descriptors: descriptorsOf(pid),
    };
  }

  /** Ends the server and starts it again on the same port; resolves to the milliseconds in between. */
  async #restart(signal: "SIGKILL" | "SIGTERM"): Promise<number> {
    const began = performance.now();
    this.#traffic.ending();
    if (signal === "SIGKILL") await this.#server?.kill();
    else await this.#stopServer();
    this.#checkErrors();
    await this.#start();
    this.#traffic.listening();
    return performance.now() - began;
  }

  async #stopServer(): Promise<void> {
    const code = await this.#server?.stop();
    if (code !== 0) this.#ledger.fault(`The server ended with ${String(code)} after SIGTERM`);
  }

  #checkErrors(): void {
    for (const line of this.#server?.errors().trim().split("\n") ?? [])
      if (line !== "") this.#ledger.fault(`The server logged: ${line.slice(0, 500)}`);
  }

  async #lag(): Promise<number> {
    const url = `${this.#server?.url ?? ""}/api/v1/metrics`;
    const response = await this.#traffic.fetch(url, {
      headers: { authorization: `Bearer ${OPERATOR}` },
    });
    return (
      Number(/^bylaw_nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(await response.text())?.[1]) *
      1_000
    );
  }

  async #readLog(acknowledged: readonly string[]): Promise<void> {
    const store: StoreReader =
      this.#postgres === undefined
        ? await openSqliteReader(this.#site.path("data/store.db"))
        : await openPostgresReader(this.#postgres.url);
    try {
      await this.#check.read(store, this.#run, acknowledged);
    } finally {
      await store.close();
    }
  }

  /** Checks that every acknowledged line is in its file, and none is there twice. Removes the workspaces of finished tasks. */
  #checkJournals(wrote: readonly string[]): void {
    const lines = new Map<string, readonly string[]>();
    for (const [, task = "", mark = ""] of wrote.map((what) => what.split(" "))) {
      if (!lines.has(task))
        lines.set(
          task,
          readFileSync(this.#site.path("work", task, "src/journal.txt"), "utf8")
            .trim()
            .split("\n"),
        );
      const times = lines.get(task)?.filter((line) => line === mark).length;
      if (times !== 1) this.#ledger.fault(`${task}: ${mark} was written ${times} times`);
    }
    for (const [task, all] of lines)
      if (new Set(all).size !== all.length) this.#ledger.fault(`${task}: a line was written twice`);
    for (const task of this.#check.takeFinished())
      rmSync(this.#site.path("work", task), { recursive: true, force: true });
  }

  /** Checks that the operator's stream has everything in the log. */
  async #catchUp(follower: EventFollower): Promise<void> {
    for (let attempt = 0; follower.last < this.#check.head; attempt += 1) {
      if (attempt === 200)
        return this.#ledger.fault(
          `The event stream stands at ${follower.last}, the log at ${this.#check.head}`,
        );
      await sleep(100);
    }
  }

  async #end(): Promise<void> {
    await this.#stopServer();
    this.#checkErrors();
    const store = this.#postgres?.url ?? this.#site.path("data/store.db");
    const args = [
      "log",
      "verify",
      "--store",
      store,
      "--run",
      this.#run,
      "--chained",
      "--catalogue",
      "lenient",
    ];
    const { status, stdout } = spawnSync(process.execPath, [BIN, ...args], {
      encoding: "utf8",
      timeout: 600_000,
      maxBuffer: 2 ** 28,
    });
    if (status !== 0)
      this.#ledger.fault(`\`bylaw log verify\` ended with ${status}: ${stdout.slice(0, 1_000)}`);
  }

  #report(): SoakReport {
    const { steps, signal } = this.#options;
    if (this.#steps.length < steps && !signal.aborted)
      this.#ledger.fault(`Only ${this.#steps.length} of ${steps} steps were made`);
    const memory = this.#steps.slice(WARM_UP).map((step) => step.memory);
    if (this.#steps.length >= JUDGED) this.#judgeFigures(memory);
    return {
      steps: this.#steps,
      counts: this.#ledger.counts(),
      memory_slope: slopeOf(memory),
      faults: this.#ledger.faults(),
    };
  }

  /** Checks the figures that need many steps. */
  #judgeFigures(memory: readonly number[]): void {
    const quarter = Math.floor(memory.length / 4);
    const [early, late] = [
      medianOf(memory.slice(quarter, 2 * quarter)),
      medianOf(memory.slice(-quarter)),
    ];
    if (late - early > Math.max(GROWTH.mebibytes, early * GROWTH.share))
      this.#ledger.fault(`Memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} MiB`);
    const lag = medianOf(this.#steps.map((step) => step.lag));
    if (lag > LAG)
      this.#ledger.fault(`The event loop delay was ${lag.toFixed(0)} ms in half of the steps`);
    const descriptors = this.#steps.map((step) => step.descriptors);
    if (Math.max(...descriptors) - Math.min(...descriptors) > DESCRIPTORS)
      this.#ledger.fault(
        `Open file descriptors went from ${Math.min(...descriptors)} to ${Math.max(...descriptors)}`,
      );
  }
}

async function within<Value>(promise: Promise<Value>, ms: number, message: string): Promise<Value> {
  const late = new AbortController();
  const timeout = sleep(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(message);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    late.abort();
    timeout.catch(() => {});
  }
}
