import { randomUUID } from "node:crypto";
import type { Kernel, Store } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Driver } from "../driver.ts";
import type { LoadedTemplate } from "../template/load.ts";
import type { WorkflowEnd, WorkflowOptions } from "../workflow/options.ts";
import { endIn, runWorkflow } from "../workflow/run-workflow.ts";
import { createBell } from "./bell.ts";
import { isTaken, takeRun, type Lease } from "./lease.ts";
import { offeredIn } from "./offer.ts";

/** How a worker runs the workflows of one template. */
export interface DrivenTemplate extends Pick<LoadedTemplate, "template" | "definition"> {
  readonly kernel: Kernel;
  /** Sets up how one run is carried out here. The signal ends what runs; `close` is called when it is over. */
  readonly work: (run: Run, signal: AbortSignal) => Promise<DrivenWork>;
}

/** All that `runWorkflow` wants for one run. */
export interface DrivenWork {
  readonly options: WorkflowOptions;
  readonly close?: () => Promise<void>;
}

/** How a worker works. */
export interface WorkerOptions {
  readonly driver: Driver;
  readonly store: Store;
  /** The runs of the store with their heads, as a reader of it lists them: what nobody woke is found there. */
  readonly runs: () => Promise<readonly { readonly run: string; readonly head: number }[]>;
  /** Says how workflows of a template are run, by its digest; `undefined` where this machine does not have it. */
  readonly templateOf: (definition: string) => Promise<DrivenTemplate | undefined>;
  /** As the log names it. Default: a name of its own. */
  readonly name?: string;
  /** A worker without a word for so many milliseconds is taken for dead. Default: 60,000. */
  readonly lease_ms?: number;
  /** How often is looked for runs that nobody drives, in milliseconds. Default: half the lease. */
  readonly reconcile_ms?: number;
  /** How many runs it drives at once. Default: 4. */
  readonly concurrency?: number;
  readonly onTake?: (run: string) => void;
  /** What came of a run that this worker drove, when it has given it back. */
  readonly onEnd?: (run: string, end: WorkflowEnd) => void;
  readonly onError?: (error: unknown, run: string | null) => void;
}

/** Drives workflows that were offered, with as many others as there are over one store. */
export interface Worker {
  readonly name: string;
  /** Takes a run if it is awake and nobody drives it: `taken` when this worker drives it now, or did already. */
  look(run: string): Promise<"taken" | "busy" | "idle">;
  /** Resolves when this worker does not drive a run, or no more. */
  done(run: string): Promise<void>;
  /** Works until it is closed. */
  serve(): Promise<void>;
  /** Gives back what it drives, which others take up where it stands, and closes the driver. */
  close(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;

interface Driving {
  /** Somebody woke the run meanwhile. */
  again: boolean;
  readonly done: Promise<void>;
}

export function createWorker(options: WorkerOptions): Worker {
  const { driver, store, runs, templateOf, name = `worker-${randomUUID()}`, lease_ms = 60_000, concurrency = 4 } = options;
  const { reconcile_ms = Math.ceil(lease_ms / 2), onTake = () => {}, onEnd = () => {}, onError = () => {} } = options;
  const closing = new AbortController();
  const bell = createBell();
  const free = createBell();
  const driving = new Map<string, Driving>();
  const looking = new Map<string, Promise<"taken" | "busy" | "idle">>();
  /** The head of each run at which there was nothing to do. */
  const idle = new Map<string, number>();
  const failures = new Map<string, { readonly count: number; readonly until: number }>();
  let places = concurrency;
  const isFull = (): boolean => places === 0;
  const now = (): number => performance.now();

  function look(run: string): Promise<"taken" | "busy" | "idle"> {
    const here = driving.get(run);
    if (here !== undefined) {
      here.again = true;
      return Promise.resolve("taken");
    }
    const known = looking.get(run) ?? take(run).finally(() => looking.delete(run));
    looking.set(run, known);
    return known;
  }

  async function take(run: string): Promise<"taken" | "busy" | "idle"> {
    const offered = await offeredIn(store, run);
    if (offered === undefined || offered.ended) return "idle";
    const driven = await templateOf(offered.definition);
    if (driven === undefined) return "busy";
    while (isFull() && !closing.signal.aborted) await free.wait(reconcile_ms);
    if (closing.signal.aborted || (failures.get(run)?.until ?? 0) > now()) return "busy";
    places -= 1;
    let lease: Lease | "busy" | "idle" = "busy";
    try {
      lease = await takeRun(driven.kernel, driven.template, run, { store, worker: name, lease_ms, now });
    } finally {
      if (typeof lease === "string") giveBack();
    }
    if (typeof lease === "string") return lease;
    const one = { again: false, done: Promise.resolve() };
    driving.set(run, one);
    onTake(run);
    one.done = drive(run, driven, lease)
      .then((again) => (one.again ||= again))
      .catch((error: unknown) => onError(error, run))
      .then(() => {
        driving.delete(run);
        giveBack();
        if (one.again && !closing.signal.aborted) lookSoon(run);
      });
    return "taken";
  }

  const lookSoon = (run: string): void => void look(run).catch((error: unknown) => onError(error, run));

  function giveBack(): void {
    places += 1;
    free.ring();
  }

  /** Resolves to whether the run is awake again already. */
  async function drive(name: string, driven: DrivenTemplate, lease: Lease): Promise<boolean> {
    const { template, definition } = driven;
    const { run } = lease;
    const lost = new AbortController();
    const beat = setInterval(() => {
      // Soon another may be at work: what runs here must not go on beside it.
      if (lease.isOver()) lost.abort(new Error("lost"));
      else lease.keep().catch((error: unknown) => void (isTaken(error) && lost.abort(error)));
    }, lease_ms / 6);
    let work: DrivenWork | undefined;
    try {
      work = await driven.work(run, AbortSignal.any([closing.signal, lost.signal]));
      const end = await runWorkflow(work.options);
      failures.delete(name);
      await lease.leave(leavingAt(end), definition);
      onEnd(name, end);
      // Somebody may have woken it before it was given back.
      if (endIn(template, run) === undefined) return true;
      idle.set(name, run.head);
      return false;
    } catch (error) {
      if (lost.signal.aborted || isTaken(error)) return false;
      if (closing.signal.aborted) {
        const end = endIn(template, run);
        await lease.leave(end === undefined ? "stopped" : leavingAt(end), definition);
        if (endIn(template, run) === undefined) await driver.wake({ runId: name });
        return false;
      }
      onError(error, name);
      const count = (failures.get(name)?.count ?? 0) + 1;
      const wait = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LAST_RETRY_MS);
      failures.set(name, { count, until: now() + wait });
      await lease.leave("failed", definition);
      await driver.wake({ runId: name }, { at: Date.now() + wait });
      return false;
    } finally {
      clearInterval(beat);
      await work?.close?.().catch((error: unknown) => onError(error, name));
      await run.close().catch((error: unknown) => onError(error, name));
    }
  }

  /** The log is the truth: whoever is awake in it and driven by nobody is taken, whether a wake came or was lost. */
  async function reconcile(): Promise<void> {
    for (const { run, head } of await runs()) {
      if (closing.signal.aborted) return;
      if (driving.has(run) || idle.get(run) === head) continue;
      const found = await look(run).catch((error: unknown) => (onError(error, run), "busy" as const));
      if (found === "idle") idle.set(run, head);
      else idle.delete(run);
    }
  }

  async function reconcileAlways(): Promise<void> {
    while (!closing.signal.aborted) {
      await reconcile().catch((error: unknown) => onError(error, null));
      await bell.wait(reconcile_ms);
    }
  }

  return {
    name,
    look,
    done: async (run) => driving.get(run)?.done,
    async serve() {
      // What somebody else records may wake a run that rested: a person's yes, a resume.
      const unwatch = await store.watch((run, head) => {
        if (idle.has(run) && idle.get(run) !== head && !closing.signal.aborted) {
          idle.delete(run);
          lookSoon(run);
        }
      });
      try {
        const served = driver.serve(async ({ runId }) => {
          await look(runId);
          return "idle";
        });
        await Promise.all([served, reconcileAlways()]);
      } finally {
        unwatch();
      }
    },
    async close() {
      closing.abort(new Error("closed"));
      bell.ring();
      free.ring();
      await Promise.allSettled([...looking.values()]);
      await Promise.allSettled([...driving.values()].map(({ done }) => done));
      await driver.close();
    },
  };
}

const leavingAt = ({ outcome }: WorkflowEnd): "ended" | "waits" => (outcome === "completed" || outcome === "stopped" ? "ended" : "waits");
