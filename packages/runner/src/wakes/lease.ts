import { BylawError, type Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { StoreConflict, type DocumentWrite, type Store } from "@bylaw/store";
import type { Template } from "../template/template.ts";
import { draft } from "../workflow/record.ts";
import { workflowEnd } from "../workflow/run-workflow.ts";
import { leaseOf, queueDocument } from "./enqueue.ts";

/** A worker that takes a run, and for how long. */
export interface LeaseRequest {
  readonly store: Store;
  readonly worker: string;
  /** After how many milliseconds without a renewal another worker may take the run. */
  readonly lease_ms: number;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
}

/** A run that only this worker drives. */
export interface Lease {
  readonly run: Run;
  /**
   * Whether the lease has ended or is about to end, by the clock of this process. Then another
   * worker may drive the run.
   */
  readonly isOver: () => boolean;
  /** Renews the lease, unless something was recorded recently. Throws if another worker has taken the run. */
  readonly keep: () => Promise<void>;
  /** Gives the run back. Does nothing if another worker has taken it. */
  readonly leave: (
    why: "ended" | "waits" | "stopped" | "failed",
    definition: string,
  ) => Promise<void>;
}

/**
 * Takes a run that has work to do. Resolves to `busy` if another worker drives it, and to `idle` if
 * there is nothing to do. From then on every write depends on the claim, so a worker that was
 * presumed dead can write nothing more, whatever session it believes it has.
 */
export async function takeRun(
  kernel: Kernel,
  template: Template,
  name: string,
  request: LeaseRequest,
): Promise<Lease | "busy" | "idle"> {
  const { store, worker, lease_ms, now } = request;
  let kept = now();
  const fence = await claim(kernel, template, name, request);
  if (typeof fence === "string") return fence;
  const task = { id: leaseOf(name), fence };
  const fenced = withCommit(store, async (commit) => {
    const began = now();
    const receipt = await store.commit(
      commit.task === undefined ? { ...commit, task: { ...task, lease_ms } } : commit,
    );
    kept = Math.max(kept, began);
    return receipt;
  });
  const run = await openRun(kernel, { run: name, store: fenced });
  return {
    run,
    isOver: () => now() - kept >= (lease_ms * 5) / 6,
    async keep() {
      if (now() - kept >= lease_ms / 3)
        await run.record([draft("workflow_kept", null, { worker, fence })]);
    },
    leave: (why, definition) =>
      leave(why, queueDocument(name, { definition, ended: true }), (said, documents) =>
        run.record([draft("workflow_left", null, { worker, fence, why: said })], {
          // Even if it has ended, because a person may continue it from another step.
          task: { ...task, set: { state: "available", owner: null } },
          documents,
        }),
      ),
  };
}

/** Joins the run to look at it, because opening it would take it over from its driver. */
async function claim(
  kernel: Kernel,
  template: Template,
  name: string,
  { store, worker, lease_ms }: LeaseRequest,
): Promise<number | "busy" | "idle"> {
  const visitor = await openRun(kernel, { run: name, store, join: true });
  try {
    if (workflowEnd(template, visitor) !== undefined) return "idle";
    const claimed = await visitor.claim({
      ...{ queue: leaseOf(name), agent: worker, lease_ms },
      event: ({ fence }) => draft("workflow_taken", null, { worker, fence, lease_ms }),
    });
    return claimed?.fence ?? "busy";
  } finally {
    await visitor.close();
  }
}

const withCommit = (store: Store, commit: Store["commit"]): Store =>
  new Proxy(store, {
    get(target, key) {
      if (key === "commit") return commit;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function"
        ? (value as (...args: readonly unknown[]) => unknown).bind(target)
        : value;
    },
  });

type Leaving = Parameters<Lease["leave"]>[0];

async function leave(
  why: Leaving,
  ended: DocumentWrite,
  record: (why: Leaving, documents: readonly DocumentWrite[]) => Promise<unknown>,
): Promise<void> {
  try {
    await record(why, why === "ended" ? [ended] : []).catch(async (error: unknown) => {
      if (why !== "ended" || !isRefused(error)) throw error;
      // A person has just moved the workflow to another step, so it has not ended and is offered again.
      await record("stopped", []);
    });
  } catch (error) {
    if (!isSuperseded(error)) throw error;
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof BylawError && error.code === "BYLAW_EVENT_REFUSED";

/** Whether a write was refused because another worker drives the run now. */
export const isSuperseded = (error: unknown): boolean =>
  error instanceof StoreConflict
    ? error.what === "fence"
    : error instanceof Error && "code" in error && error.code === "BYLAW_RUN_SUPERSEDED";
