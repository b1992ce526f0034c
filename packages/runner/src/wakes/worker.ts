import { randomUUID } from "node:crypto";
import { checkArgument, type Kernel } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { Driver } from "../driver.ts";
import type { LoadedTemplate } from "../template/load.ts";
import type { WorkflowEnd, WorkflowOptions } from "../workflow/options.ts";
import { workflowEnd, runWorkflow } from "../workflow/run-workflow.ts";
import { createSignal } from "./signal.ts";
import { isSuperseded, takeRun, type Lease } from "./lease.ts";
import { findEnqueuedRun } from "./enqueue.ts";

/** How a worker runs the workflows of one template. */
export interface DrivenTemplate extends Pick<LoadedTemplate, "template" | "definition"> {
  readonly kernel: Kernel;
  /** Prepares one run on this machine. The signal ends what runs; `close` is called afterwards. */
  readonly work: (run: Run, signal: AbortSignal) => Promise<DrivenWork>;
}

/** Everything that `runWorkflow` needs for one run. */
export interface DrivenWork {
  readonly options: WorkflowOptions;
  readonly close?: () => Promise<void>;
}

/** Options of a worker. */
export interface WorkerOptions {
  readonly driver: Driver;
  readonly store: Store;
  /** Lists the runs of the store with their heads, to find runs that nobody woke. */
  readonly runs: () => Promise<readonly { readonly run: string; readonly head: number }[]>;
  /**
   * Returns how workflows of a template are run, given the template's digest. `undefined` if this
   * machine does not have the template.
   */
  readonly templateOf: (definition: string) => Promise<DrivenTemplate | undefined>;
  /** The name of the worker in the log. Default: a new name. */
  readonly name?: string;
  /** After how many milliseconds without a renewal a worker is presumed dead. Default: 60,000. */
  readonly lease_ms?: number;
  /** How often to look for runs that no worker drives, in milliseconds. Default: half the lease. */
  readonly reconcile_ms?: number;
  /** How many runs it drives at once. Default: 4. */
  readonly concurrency?: number;
  readonly onTake?: (run: string) => void;
  /** Called with the end of a run that this worker drove, after it has given the run back. */
  readonly onEnd?: (run: string, end: WorkflowEnd) => void;
  readonly onError?: (error: unknown, run: string | null) => void;
}

/** Drives offered workflows, together with all other workers on the same store. */
export interface Worker {
  readonly name: string;
  /**
   * Takes a run if it has work to do and no worker drives it. Resolves to `taken` if this worker
   * drives it now, also if it did before.
   */
  look(run: string): Promise<"taken" | "busy" | "idle">;
  /** Resolves when this worker does not drive the run, or no longer does. */
  done(run: string): Promise<void>;
  /** Works until the worker is closed. */
  serve(): Promise<void>;
  /** Gives back all runs, which others continue from where they are, and closes the driver. */
  close(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;
type Looked = "taken" | "busy" | "idle";

/** A run that this worker drives. */
interface DrivenRun {
  /** Whether the run was woken in the meantime. */
  again: boolean;
  done: Promise<void>;
}

/** Creates a worker. It takes nothing before `serve` or `look` is called. */
export function createWorker(options: WorkerOptions): Worker {
  return new RunWorker(checkArgument("createWorker", "options", options));
}

class RunWorker implements Worker {
  readonly name: string;
  readonly #options: WorkerOptions;
  readonly #lease_ms: number;
  readonly #reconcile_ms: number;
  readonly #closing = new AbortController();
  readonly #signal = createSignal();
  readonly #placeFreed = createSignal();
  readonly #driven = new Map<string, DrivenRun>();
  readonly #looking = new Map<string, Promise<Looked>>();
  /** The head of each run at which there was nothing to do. */
  readonly #idle = new Map<string, number>();
  readonly #failures = new Map<string, { readonly count: number; readonly until: number }>();
  #places: number;

  constructor(options: WorkerOptions) {
    const { name = `worker-${randomUUID()}`, lease_ms = 60_000, concurrency = 4 } = options;
    this.name = name;
    this.#options = options;
    this.#lease_ms = lease_ms;
    this.#reconcile_ms = options.reconcile_ms ?? Math.ceil(lease_ms / 2);
    this.#places = concurrency;
  }

  look(run: string): Promise<Looked> {
    const here = this.#driven.get(run);
    if (here !== undefined) {
      here.again = true;
      return Promise.resolve("taken");
    }
    const known =
      this.#looking.get(run) ?? this.#take(run).finally(() => this.#looking.delete(run));
    this.#looking.set(run, known);
    return known;
  }

  async done(run: string): Promise<void> {
    await this.#driven.get(run)?.done;
  }

  async serve(): Promise<void> {
    // Events of others may give a resting run work: a person's yes, or a resume.
    const unwatch = await this.#options.store.watch((run, head) => {
      if (!this.#idle.has(run) || this.#idle.get(run) === head || this.#isClosing) return;
      this.#idle.delete(run);
      this.#lookSoon(run);
    });
    try {
      const served = this.#options.driver.serve(async ({ runId }) => {
        await this.look(runId);
        return "idle";
      });
      await Promise.all([served, this.#reconcileAlways()]);
    } finally {
      unwatch();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closed"));
    this.#signal.raise();
    this.#placeFreed.raise();
    await Promise.allSettled([...this.#looking.values()]);
    await Promise.allSettled([...this.#driven.values()].map(({ done }) => done));
    await this.#options.driver.close();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async #take(run: string): Promise<Looked> {
    const { store, templateOf } = this.#options;
    const enqueued = await findEnqueuedRun(store, run);
    if (enqueued === undefined || enqueued.ended) return "idle";
    const template = await templateOf(enqueued.definition);
    if (template === undefined) return "busy";
    while (this.#places === 0 && !this.#isClosing) await this.#placeFreed.wait(this.#reconcile_ms);
    if (this.#isClosing || (this.#failures.get(run)?.until ?? 0) > performance.now()) return "busy";
    const lease = await this.#leaseOf(run, template);
    if (typeof lease === "string") return lease;
    const one: DrivenRun = { again: false, done: Promise.resolve() };
    this.#driven.set(run, one);
    this.#options.onTake?.(run);
    one.done = this.#drive(run, template, lease)
      .then((again) => (one.again ||= again))
      .catch((error: unknown) => this.#onError(error, run))
      .then(() => {
        this.#driven.delete(run);
        this.#freePlace();
        if (one.again && !this.#isClosing) this.#lookSoon(run);
      });
    return "taken";
  }

  /** Reserves a place and takes the lease of a run. Without the lease, the place is free again. */
  async #leaseOf(
    run: string,
    { kernel, template }: DrivenTemplate,
  ): Promise<Lease | "busy" | "idle"> {
    this.#places -= 1;
    let lease: Lease | "busy" | "idle" = "busy";
    try {
      lease = await takeRun(kernel, template, run, {
        store: this.#options.store,
        worker: this.name,
        lease_ms: this.#lease_ms,
        now: () => performance.now(),
      });
    } finally {
      if (typeof lease === "string") this.#freePlace();
    }
    return lease;
  }

  #freePlace(): void {
    this.#places += 1;
    this.#placeFreed.raise();
  }

  #lookSoon(run: string): void {
    this.look(run).catch((error: unknown) => this.#onError(error, run));
  }

  readonly #onError = (error: unknown, run: string | null): void =>
    this.#options.onError?.(error, run);

  /** Resolves to whether the run has work to do again. */
  async #drive(name: string, driven: DrivenTemplate, lease: Lease): Promise<boolean> {
    const lost = new AbortController();
    const beat = setInterval(() => {
      // Another worker may soon start, and this one must not run beside it.
      if (lease.isOver()) lost.abort(new Error("lost"));
      else lease.keep().catch((error: unknown) => void (isSuperseded(error) && lost.abort(error)));
    }, this.#lease_ms / 6);
    let work: DrivenWork | undefined;
    try {
      work = await driven.work(lease.run, AbortSignal.any([this.#closing.signal, lost.signal]));
      return await this.#runToEnd(name, driven, lease, work.options);
    } catch (error) {
      if (!lost.signal.aborted && !isSuperseded(error))
        await this.#giveBack(name, driven, lease, error);
      return false;
    } finally {
      clearInterval(beat);
      await work?.close?.().catch((error: unknown) => this.#onError(error, name));
      await lease.run.close().catch((error: unknown) => this.#onError(error, name));
    }
  }

  async #runToEnd(
    name: string,
    { template, definition }: DrivenTemplate,
    lease: Lease,
    options: WorkflowOptions,
  ): Promise<boolean> {
    const end = await runWorkflow(options);
    this.#failures.delete(name);
    await lease.leave(leavingAt(end), definition);
    this.#options.onEnd?.(name, end);
    // The run may have been woken before it was given back.
    if (workflowEnd(template, lease.run) === undefined) return true;
    this.#idle.set(name, lease.run.head);
    return false;
  }

  /** Gives back a run that did not end here, and arranges that it is woken again. */
  async #giveBack(
    name: string,
    { template, definition }: DrivenTemplate,
    { run, leave }: Lease,
    error: unknown,
  ): Promise<void> {
    if (this.#isClosing) {
      const end = workflowEnd(template, run);
      await leave(end === undefined ? "stopped" : leavingAt(end), definition);
      if (workflowEnd(template, run) === undefined)
        await this.#options.driver.wake({ runId: name });
      return;
    }
    this.#onError(error, name);
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LAST_RETRY_MS);
    this.#failures.set(name, { count, until: performance.now() + wait });
    await leave("failed", definition);
    await this.#options.driver.wake({ runId: name }, { at: Date.now() + wait });
  }

  /**
   * Takes every run that has work to do according to the log and that no worker drives. It does not depend on wakes.
   */
  async #reconcile(): Promise<void> {
    for (const { run, head } of await this.#options.runs()) {
      if (this.#isClosing) return;
      if (this.#driven.has(run) || this.#idle.get(run) === head) continue;
      const found = await this.look(run).catch((error: unknown) => {
        this.#onError(error, run);
        return "busy";
      });
      if (found === "idle") this.#idle.set(run, head);
      else this.#idle.delete(run);
    }
  }

  async #reconcileAlways(): Promise<void> {
    while (!this.#isClosing) {
      await this.#reconcile().catch((error: unknown) => this.#onError(error, null));
      await this.#signal.wait(this.#reconcile_ms);
    }
  }
}

const leavingAt = ({ outcome }: WorkflowEnd): "ended" | "waits" =>
  outcome === "completed" || outcome === "stopped" ? "ended" : "waits";
