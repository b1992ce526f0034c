import { BylawError, type Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { StoreConflict, type DocumentWrite, type Store } from "@bylaw/store";
import type { Template } from "../template/template.ts";
import { draft } from "../workflow/record.ts";
import { endIn } from "../workflow/run-workflow.ts";
import { leaseOf, queueDocument } from "./enqueue.ts";

/** A worker that takes a run, and for how long. */
export interface LeaseRequest {
  readonly store: Store;
  readonly worker: string;
  /** After so many milliseconds without a word of the taker another may take the run. */
  readonly lease_ms: number;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
}

/** A run that is driven here, and nowhere else. */
export interface Lease {
  readonly run: Run;
  /**
   * Whether the lease is over by the clock of this process, or will be in a moment: then another
   * may drive.
   */
  readonly isOver: () => boolean;
  /**
   * Says that somebody is still at it, unless something was recorded lately. Throws where another
   * took it.
   */
  readonly keep: () => Promise<void>;
  /** Gives it back. Does nothing where another took it. */
  readonly leave: (
    why: "ended" | "waits" | "stopped" | "failed",
    definition: string,
  ) => Promise<void>;
}

/**
 * Takes a run that is awake, if nobody drives it: `busy` where somebody does, `idle` where there is
 * nothing to do. From then on every write goes with the claim, so that a process that was taken for
 * dead writes nothing any more, whatever session it believes to have.
 */
export async function takeRun(
  kernel: Kernel,
  template: Template,
  name: string,
  { store, worker, lease_ms, now }: LeaseRequest,
): Promise<Lease | "busy" | "idle"> {
  const asked = now();
  const fence = await claim();
  if (typeof fence === "string") return fence;
  const task = { id: leaseOf(name), fence };
  let kept = asked;
  const fenced = new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== "commit")
        return typeof value === "function"
          ? (value as (...args: readonly unknown[]) => unknown).bind(target)
          : value;
      return async (commit: Parameters<Store["commit"]>[0]) => {
        const began = now();
        const receipt = await target.commit(
          commit.task === undefined ? { ...commit, task: { ...task, lease_ms } } : commit,
        );
        kept = Math.max(kept, began);
        return receipt;
      };
    },
  });
  const run = await openRun(kernel, { run: name, store: fenced });

  /** Looks from aside: opening the run itself would take it from whoever drives it. */
  async function claim(): Promise<number | "busy" | "idle"> {
    const visitor = await openRun(kernel, { run: name, store, join: true });
    try {
      if (endIn(template, visitor) !== undefined) return "idle";
      const claimed = await visitor.claim({
        ...{ queue: leaseOf(name), agent: worker, lease_ms },
        event: ({ fence: given }) =>
          draft("workflow_taken", null, { worker, fence: given, lease_ms }),
      });
      return claimed?.fence ?? "busy";
    } finally {
      await visitor.close();
    }
  }

  return {
    run,
    isOver: () => now() - kept >= (lease_ms * 5) / 6,
    async keep() {
      if (now() - kept >= lease_ms / 3)
        await run.record([draft("workflow_kept", null, { worker, fence })]);
    },
    async leave(why, definition) {
      const left = (said: typeof why, documents: readonly DocumentWrite[]): Promise<unknown> =>
        run.record([draft("workflow_left", null, { worker, fence, why: said })], {
          // Also where it has ended: a person may say from where it goes on.
          task: { ...task, set: { state: "available", owner: null } },
          documents,
        });
      try {
        if (why !== "ended") await left(why, []);
        else
          await left(why, [queueDocument(name, { definition, ended: true })]).catch(
            async (error: unknown) => {
              if (!isRefused(error)) throw error;
              // A person said from where it goes on in this moment: it has not ended any more, and
              // is offered as before.
              await left("stopped", []);
            },
          );
      } catch (error) {
        if (!isSuperseded(error)) throw error;
      }
    },
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof BylawError && error.code === "BYLAW_EVENT_REFUSED";

/** Whether a write was refused because another drives the run now. */
export const isSuperseded = (error: unknown): boolean =>
  error instanceof StoreConflict
    ? error.what === "fence"
    : error instanceof Error && "code" in error && error.code === "BYLAW_RUN_SUPERSEDED";
