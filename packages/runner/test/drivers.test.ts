import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { resumeCheckpoint } from "@bylaw/plugin-checkpoint";
import { freePort, type PostgresServer, startPostgres, temporaryFolder } from "@bylaw/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enqueueWorkflow, workflowState, type Driver, type WakeRequest } from "../src/index.ts";
import {
  loadedOf,
  openAs,
  openDriver,
  openStore,
  traceOf,
  type Engine,
  type Place,
} from "./driver/kit.ts";
import {
  bundleWorker,
  SHORT_LEASE,
  workersAt,
  type WorkerProcess,
  type WorkerSettings,
} from "./driver/processes.ts";
import { startRestate, type RestateServer } from "./driver/restate-server.ts";
import { openRestateDriver } from "../src/restate/index.ts";

// Opened only when a test needs them, because servers of filtered-out tests would stay behind.
let server: PostgresServer | undefined;
let restate: RestateServer | undefined;
let script: string;
afterAll(async () => {
  await Promise.all([server?.stop(), restate?.stop()]);
});

interface Stage {
  readonly place: Place;
  readonly store: Store;
  /** The driver of this process, which does not serve. */
  readonly driver: Driver;
  readonly start: (settings?: WorkerSettings) => Promise<WorkerProcess>;
  /** Kills all workers. */
  readonly end: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly offer: (
    template: string,
    run: string,
    how?: { readonly wake?: boolean },
  ) => Promise<void>;
  readonly log: (run: string) => Promise<readonly LogEvent[]>;
  /** Resolves when a run has an event of this type and `more` holds. */
  readonly until: (
    run: string,
    type: string,
    more?: (events: readonly LogEvent[]) => boolean,
  ) => Promise<void>;
}

beforeAll(async () => {
  [server, restate, script] = await Promise.all([
    startPostgres({ fsync: true }),
    startRestate(),
    bundleWorker(),
  ]);
  if (restate === undefined) return;
  // Restate keeps wakes only for a registered service.
  const { ingress, admin, address, workers } = restate;
  const port = await freePort();
  workers.add(port);
  const driver = await openRestateDriver({ ingress, admin, address, listen: { port } });
  const served = driver.serve(async () => "idle");
  while (
    !(await driver.wake({ runId: "nobody" }).then(
      () => true,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 50));
  await driver.close();
  await served;
  workers.delete(port);
});

/** Creates what the tests of one driver share. */
async function stageOf(engine: Engine): Promise<Stage> {
  const folder = temporaryFolder();
  const place: Place = {
    url: server?.url ?? "",
    schema: `t_${randomBytes(6).toString("hex")}`,
    folder,
    engine,
  };
  const store = await openStore(place);
  const driver = await openDriver(place, store);
  const workers = workersAt(place, {
    script,
    restate: engine.name === "restate" ? restate : undefined,
  });
  const log = (run: string): Promise<readonly LogEvent[]> => store.events(run, 0, 10_000);
  return {
    ...{ place, store, driver, log },
    start: (settings) => workers.start(settings),
    end: () => workers.end(),
    async close() {
      await workers.end();
      await driver.close();
      await store.close();
    },
    async offer(template, name, { wake = true } = {}) {
      const run = await openAs(template, name, store);
      await enqueueWorkflow(store, run, await loadedOf(template));
      await run.close();
      if (wake) await driver.wake({ runId: name });
    },
    log,
    async until(run, type, more = () => true) {
      // One read at a time, because reads that pile up on a slow machine make it slower.
      const isThere = (events: readonly LogEvent[]): boolean =>
        events.some(({ event_type }) => event_type === type) && more(events);
      while (!isThere(await log(run))) await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
}

/** Serves in this process until the handler returns `close`. */
async function serveHere(
  place: Place,
  store: Store,
  handler: (wake: WakeRequest, close: () => void) => Promise<"again" | "idle">,
): Promise<void> {
  const port = place.engine.name === "restate" ? await freePort() : undefined;
  if (port !== undefined) restate?.workers.add(port);
  const driver = await openDriver(place, store, port === undefined ? {} : { port });
  const over = new AbortController();
  const served = driver.serve((wake) => handler(wake, () => over.abort()));
  over.signal.addEventListener("abort", () => void driver.close());
  await served;
  await driver.close();
  if (port !== undefined) restate?.workers.delete(port);
}

const attemptsIn = (events: readonly LogEvent[]): ReadonlySet<string> =>
  new Set(
    events
      .filter(({ event_type }) => event_type === "step_started")
      .map(({ details }) => `${String(details["step"])} ${String(details["attempt"])}`),
  );
const typesOf = (events: readonly LogEvent[]): readonly string[] =>
  events.map(({ event_type }) => event_type);
const completed = (events: readonly LogEvent[]): readonly unknown[] =>
  events
    .filter(({ event_type }) => event_type === "step_completed")
    .map(({ details }) => details["step"]);

/**
 * Finds faults in a run that several workers drove one after the other: fences must rise, and a
 * session must not write once the next one has begun.
 */
function faultsOf(events: readonly LogEvent[]): readonly string[] {
  const faults: string[] = [];
  const over = new Set<string>();
  let [fence, session] = [0, events[0]?.session_id ?? ""];
  for (const { sequence, event_type, session_id, details } of events) {
    if (event_type === "workflow_taken") {
      if (Number(details["fence"]) <= fence)
        faults.push(`${sequence}: claim ${String(details["fence"])} after ${fence}`);
      fence = Number(details["fence"]);
    }
    if (event_type === "session_resumed") {
      over.add(session);
      session = session_id;
    }
    if (over.has(session_id)) faults.push(`${sequence}: ${event_type} of a session that is over`);
  }
  return faults;
}

const SHORT = ["workflow_started", "workflow_offered", "workflow_taken", "session_resumed"];
const STEP = ["step_started", "step_completed", "step_settled"];
const UNDISTURBED = [
  "session_start",
  ...SHORT,
  ...STEP,
  ...STEP,
  ...STEP,
  "workflow_ended",
  "workflow_left",
];

/** `undefined` if this machine has no server for it. */
function engineOf(name: Engine["name"]): Engine | undefined {
  if (server === undefined || (name === "restate" && restate === undefined)) return undefined;
  return {
    name,
    restate: restate && {
      ingress: restate.ingress,
      admin: restate.admin,
      address: restate.address,
    },
  };
}

describe.each(["embedded", "dbos", "restate"] as const)("the driver %s", (name) => {
  let stage: Stage;
  let opened: Stage | undefined;
  beforeAll(async () => {
    const engine = engineOf(name);
    if (engine !== undefined) stage = opened = await stageOf(engine);
  });
  beforeEach(({ skip }) => skip(opened === undefined, "there is no server"));
  afterEach(() => opened?.end());
  afterAll(() => opened?.close());

  it("lets a worker run what another process has offered, once, however often it is woken", async () => {
    const { start, offer, driver, until, log, place } = stage;
    // No worker looks for runs by itself in this time, so only the wakes start it.
    const settings = { reconcile_ms: 600_000 };
    await Promise.all([start(settings), start(settings)]);
    await offer("short", "r1", { wake: false });
    await Promise.all(Array.from({ length: 10 }, () => driver.wake({ runId: "r1" })));
    await until("r1", "workflow_left");
    expect(typesOf(await log("r1"))).toEqual(UNDISTURBED);
    expect(traceOf(place, "r1").map((line) => line.split(" ")[0])).toEqual([
      "plan",
      "code",
      "check",
    ]);
  });

  it("delivers a wake at its time, even if its sender is gone, and again if it could not be answered", async () => {
    const { place, store } = stage;
    const asking = await openDriver(place, store);
    const at = Date.now() + 400;
    await asking.wake({ runId: "later" }, { at });
    await asking.wake({ runId: "keyed" }, { key: "k" });
    await asking.wake({ runId: "keyed" }, { key: "k" });
    await asking.close();
    // A wake that an engine has accepted survives the engine.
    if (name === "restate") await restate?.crash();
    const seen: (readonly [string, number])[] = [];
    const late = (): boolean => seen.some(([run]) => run === "later");
    const again = (): boolean => seen.filter(([run]) => run === "keyed").length > 1;
    await serveHere(place, store, async ({ runId }, close) => {
      seen.push([runId, Date.now()]);
      if (late() && again()) close();
      if (runId === "keyed" && !again()) throw new Error("not now");
      return "idle";
    });
    expect(seen.filter(([run, time]) => run === "later" && time < at)).toEqual([]);
  });

  it("lets a workflow rest at a checkpoint, and continue in another process when a person says so", async () => {
    const { start, offer, until, log, store, driver, place } = stage;
    const first = await start();
    await offer("pausing", "p1");
    await until("p1", "workflow_left");
    await first.close();
    await start();
    const run = await openAs("pausing", "p1", store);
    const [pause] = run.view(workflowState).pauses;
    await resumeCheckpoint(run, {
      checkpoint: pause?.checkpoint ?? 0,
      by: "ada",
      definition: (await loadedOf("pausing")).definition,
    });
    await run.close();
    await driver.wake({ runId: "p1" });
    await until("p1", "workflow_ended");
    const pids = traceOf(place, "p1").map((line) => line.split(" ")[2]);
    expect([new Set(pids).size, pids[0] === pids[1], completed(await log("p1"))]).toEqual([
      2,
      true,
      ["plan", "ask", "last"],
    ]);
    expect(faultsOf(await log("p1"))).toEqual([]);
  });

  it.runIf(name === "embedded")(
    "refuses the writes of a worker that was stopped until another drives its run",
    async () => {
      const { start, offer, until, log, place, end } = stage;
      const slow = await start(SHORT_LEASE);
      await offer("slow", "s1");
      await until("s1", "step_started", () =>
        traceOf(place, "s1").some((line) => line.startsWith("wait ")),
      );
      slow.process.kill("SIGSTOP");
      await start(SHORT_LEASE);
      await until("s1", "step_started", () =>
        traceOf(place, "s1").some((line) => line.startsWith("wait 2 ")),
      );
      writeFileSync(join(place.folder, "s1.go"), "");
      await until("s1", "workflow_left");
      const ended = await log("s1");
      slow.process.kill("SIGCONT");
      await slow.close();
      await end();
      expect([await log("s1"), faultsOf(ended), completed(ended)]).toEqual([
        ended,
        [],
        ["plan", "wait", "last"],
      ]);
    },
  );

  it("brings every run to the same end, at whatever event its worker is killed, without repeating a completed step", () => {
    // With the embedded driver at every event, with the others at every second one.
    // `npm run crash -- driver` does it at every event with each driver.
    const points = ALL.filter(
      (point) => name === "embedded" || point % 2 === (name === "dbos" ? 0 : 1),
    );
    return surviveKills(stage, new Map(points.map((point) => [`k${point}`, [point]])));
  });

  it.runIf(ROUNDS > 0)(
    "does so even if the worker that takes over is killed too",
    { timeout: 600_000 },
    async () => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const kills = ALL.map(
          (point) =>
            [`x${round}-${point}`, [point, point + 1 + Math.floor(Math.random() * 8)]] as const,
        );
        await surviveKills(stage, new Map(kills));
      }
    },
  );
});

/** The events from the claim on. Before that, no worker drives the run. */
const ALL = UNDISTURBED.map((_, index) => index + 1).slice(SHORT.length - 1);
const ROUNDS = Number(process.env["BYLAW_CRASH_ROUNDS"] ?? 0);
/** A file for counts of kills, events and completed steps. */
const TALLY = process.env["BYLAW_CRASH_TALLY"];

/** Lets workers drive runs, kills each worker after one of its events, and checks the results. */
async function surviveKills(
  { start, end, offer, until, log, place }: Stage,
  kills: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const runs = [...kills.keys()];
  for (const [run, points] of kills)
    writeFileSync(join(place.folder, `${run}.kill`), points.join(" "));
  // Every other run is offered without a wake, so workers must find it in the log.
  for (const [index, run] of runs.entries()) await offer("short", run, { wake: index % 2 === 0 });
  const killedIn = (run: string): number => {
    const file = join(place.folder, `${run}.killed`);
    return existsSync(file) ? readFileSync(file, "utf8").length : 0;
  };
  const dead = new Set<unknown>();
  // Nobody drives a run that has ended, so it is not killed any more if its worker was killed for another run.
  const isDone = (run: string, events: readonly LogEvent[]): boolean =>
    killedIn(run) > 0 ||
    dead.has(
      events.findLast(({ event_type }) => event_type === "workflow_taken")?.details["worker"],
    );
  const over = new AbortController();
  const keep = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { name, ended } = await start(SHORT_LEASE);
      await ended;
      dead.add(name);
    }
  };
  const kept = Promise.all([keep(), keep()]);
  try {
    await Promise.race([
      kept,
      Promise.all(runs.map((run) => until(run, "workflow_ended", (events) => isDone(run, events)))),
    ]);
  } finally {
    over.abort();
    await end();
    await kept;
  }
  for (const run of runs) {
    const events = await log(run);
    expect([run, faultsOf(events)]).toEqual([run, []]);
    expect([run, completed(events)]).toEqual([run, ["plan", "code", "check"]]);
    expect([run, typesOf(events).filter((type) => type === "workflow_ended").length]).toEqual([
      run,
      1,
    ]);
    if (TALLY !== undefined)
      appendFileSync(TALLY, `${killedIn(run)} ${events.length} ${completed(events).length}\n`);
    // A step runs again only if it was at work when its worker was killed, never after its end.
    for (const line of traceOf(place, run))
      expect([run, line, attemptsIn(events).has(line.split(" ").slice(0, 2).join(" "))]).toEqual([
        run,
        line,
        true,
      ]);
  }
}
