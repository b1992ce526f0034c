import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { BylawError, omitUndefined } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import type { Driver, WakeRequest, WakeHandler } from "../driver.ts";
import { createSignal } from "../wakes/signal.ts";
import { runOnce } from "../wakes/run-once.ts";
import { loadPeer } from "../wakes/peer-package.ts";

/** Options of the driver over DBOS. */
export interface DbosDriverOptions {
  /**
   * The store of the runs. It also makes sure that only one process creates the tables of DBOS,
   * which fails when two do so at once.
   */
  readonly store: Store;
  /** The URL of the database in which DBOS keeps its tables. The database of the store is a good choice. */
  readonly url: string;
  /** The schema of its tables. Default: `dbos`. */
  readonly schema?: string;
  /** The name of this process in DBOS. Default: a new name. */
  readonly name?: string;
  /** How often the driver looks for wakes, in milliseconds. Default: 1,000. */
  readonly poll_ms?: number;
  /** After how many milliseconds an unanswered wake is given to another process. Default: 60,000. */
  readonly lease_ms?: number;
  readonly onError?: (error: unknown) => void;
}

const PEER = "@dbos-inc/dbos-sdk";
const QUEUE = "bylaw-wakes";
const WORKFLOW = "bylaw-wake";
/**
 * The version of the format of a wake, not of the code around it, because wakes from before a
 * deployment must still be answered.
 */
const VERSION = "bylaw-wake-1";
const RETRY_MS = 5_000;
const KEPT_MS = 3_600_000;
const PAGE = 100;

// DBOS has one instance per process, with which a workflow is registered once.
let serving:
  | {
      readonly handler: WakeHandler;
      readonly failed: (wake: WakeRequest, error: unknown) => Promise<void>;
    }
  | undefined;
let wakeWorkflow: ((wake: WakeRequest) => Promise<string>) | undefined;

const load = () => loadPeer(PEER, () => import("@dbos-inc/dbos-sdk"));

/**
 * Opens the driver over DBOS: each wake is a short workflow in a queue of its database. Missing
 * tables are created. Only one driver per process can serve at a time. Throws
 * BYLAW_DRIVER_UNAVAILABLE if `@dbos-inc/dbos-sdk` is not installed, and what DBOS throws.
 */
export async function openDbosDriver(options: DbosDriverOptions): Promise<Driver> {
  const sdk = await load();
  const client = await sdk.DBOSClient.create({
    ...placeOf(options),
    applicationName: QUEUE,
    systemDatabasePoolSize: 2,
  });
  return new DbosDriver(options, sdk.DBOS, client);
}

const placeOf = ({ url, schema = "dbos" }: DbosDriverOptions) => ({
  systemDatabaseUrl: url,
  systemDatabaseSchemaName: schema,
  logger: silent,
});

type Sdk = Awaited<ReturnType<typeof load>>;

class DbosDriver implements Driver {
  readonly #options: DbosDriverOptions;
  readonly #dbos: Sdk["DBOS"];
  readonly #client: Awaited<ReturnType<Sdk["DBOSClient"]["create"]>>;
  readonly #name: string;
  readonly #lease_ms: number;
  readonly #onError: (error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #signalled = createSignal();
  #prepared: Promise<void> | undefined;
  #served: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    options: DbosDriverOptions,
    dbos: Sdk["DBOS"],
    client: Awaited<ReturnType<Sdk["DBOSClient"]["create"]>>,
  ) {
    const {
      name = `driver-${randomUUID()}`,
      lease_ms = 60_000,
      onError = (): void => {},
    } = options;
    this.#options = options;
    this.#dbos = dbos;
    this.#client = client;
    this.#name = name;
    this.#lease_ms = lease_ms;
    this.#onError = onError;
  }

  async wake(
    wake: WakeRequest,
    { at, key }: { readonly at?: number; readonly key?: string } = {},
  ): Promise<void> {
    if (!this.#closing.signal.aborted) await this.#enqueue(wake, at, key);
  }

  serve(handler: WakeHandler): Promise<void> {
    return (this.#served ??= this.#serve(handler));
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  #settings() {
    return {
      ...placeOf(this.#options),
      name: QUEUE,
      executorID: this.#name,
      applicationVersion: VERSION,
      systemDatabasePoolSize: 6,
      listenQueues: [QUEUE],
    };
  }

  #prepare(): Promise<void> {
    const { store, url, schema = "dbos" } = this.#options;
    return (this.#prepared ??= runOnce(
      store,
      { name: `dbos:${databaseOf(url)}:${schema}`, version: dbosVersion() },
      async () => {
        if (serving !== undefined) throw busy();
        this.#dbos.setConfig(this.#settings());
        await this.#dbos.launch();
        await this.#dbos.shutdown();
      },
    ).catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    }));
  }

  async #serve(handler: WakeHandler): Promise<void> {
    if (serving !== undefined) throw busy();
    const failed = async (wake: WakeRequest, error: unknown): Promise<void> => {
      this.#onError(error);
      await this.#enqueue(wake, Date.now() + Math.min(this.#lease_ms, RETRY_MS));
    };
    await this.#prepare();
    serving = { handler, failed };
    try {
      wakeWorkflow ??= this.#dbos.registerWorkflow(answer, { name: WORKFLOW });
      this.#dbos.setConfig({ ...this.#settings(), runMigrations: false });
      await this.#dbos.launch();
      try {
        await this.#listen();
      } finally {
        await this.#dbos.shutdown({ workflowCompletionTimeoutMS: 1_000 });
      }
    } finally {
      serving = undefined;
    }
  }

  async #listen(): Promise<void> {
    // One at a time, so that a busy process does not hold wakes that an idle one could answer.
    await this.#dbos.registerQueue(QUEUE, {
      workerConcurrency: 1,
      minPollingIntervalMs: this.#options.poll_ms ?? 1_000,
      onConflict: "always_update",
    });
    while (!this.#closing.signal.aborted) {
      await this.#tidy().catch(this.#onError);
      await this.#signalled.wait(Math.min(this.#lease_ms, KEPT_MS) / 2);
    }
  }

  /** Gives the wakes of dead processes to live ones, and removes those answered long ago. */
  async #tidy(): Promise<void> {
    const client = this.#client;
    const of = { queueName: QUEUE, limit: PAGE, loadInput: false, loadOutput: false } as const;
    const taken = await client.listWorkflows({ ...of, status: "PENDING" });
    const late = taken.filter(
      ({ executorId, updatedAt }) =>
        executorId !== this.#name && (updatedAt ?? 0) < Date.now() - this.#lease_ms,
    );
    for (const { workflowID } of late)
      await client.resumeWorkflow(workflowID, { queueName: QUEUE });
    const answered = await client.listWorkflows({
      ...{ ...of, status: ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"] },
      completedBefore: new Date(Date.now() - KEPT_MS).toISOString(),
    });
    if (answered.length > 0)
      await client.deleteWorkflows(answered.map(({ workflowID }) => workflowID));
  }

  async #enqueue({ runId }: WakeRequest, at = 0, key?: string): Promise<void> {
    const wait = at - Date.now();
    await this.#prepare();
    await this.#client.enqueue(
      {
        ...{ queueName: QUEUE, workflowName: WORKFLOW, appVersion: VERSION },
        ...omitUndefined({
          workflowID: key === undefined ? undefined : `${WORKFLOW}:${key}`,
          delaySeconds: wait > 0 ? wait / 1_000 : undefined,
        }),
      },
      { runId },
    );
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#signalled.raise();
    await this.#served?.catch(() => {});
    await this.#client.destroy();
  }
}

/** The workflow that DBOS runs for a wake. A wake that could not be answered comes again as a new one. */
async function answer({ runId }: WakeRequest): Promise<string> {
  if (serving === undefined) throw new Error("This process does not serve wake-ups");
  const { handler, failed } = serving;
  try {
    while ((await handler({ runId })) === "again");
  } catch (error) {
    await failed({ runId }, error);
  }
  return "idle";
}

// The database without user, password and connection options.
function databaseOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

const busy = (): BylawError =>
  new BylawError({
    code: "BYLAW_DRIVER_BUSY",
    message: "Another DBOS driver already serves in this process",
    fix: "Close the first, or start another process",
  });

/** The installed version of DBOS. Its package does not export package.json. */
function dbosVersion(): string {
  let folder = dirname(createRequire(import.meta.url).resolve(PEER));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}

const silent = { info() {}, debug() {}, warn() {}, error() {} };
