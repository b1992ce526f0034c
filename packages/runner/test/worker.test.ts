import { join } from "node:path";
import { createKernel, type LogEvent } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { checkpoint } from "@bylaw/plugin-checkpoint";
import { loop } from "@bylaw/plugin-loop";
import { trigger } from "@bylaw/plugin-trigger";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createEmbeddedDriver,
  createWorker,
  workflowEnd,
  loopOptionsOf,
  migrateWorkflow,
  moveWorkflow,
  findEnqueuedRun,
  enqueueWorkflow,
  runWorkflow,
  triggerOptionsOf,
  workflow,
  type LoadedTemplate,
  type StepContext,
  type StepFunction,
  type Worker,
  type WorkerOptions,
  type WorkflowEnd,
} from "../src/index.ts";
import { templateOf } from "./kit.ts";

function kernelOf({ template }: LoadedTemplate) {
  const called = triggerOptionsOf(template);
  return createKernel({
    plugins: [
      loop(loopOptionsOf(template)),
      ...(called === undefined ? [] : [trigger(called)]),
      checkpoint(),
      workflow(),
    ],
  });
}

/** A machine that has one template. */
function drivenOf(
  loaded: LoadedTemplate,
  functions: Readonly<Record<string, StepFunction>>,
): WorkerOptions["templateOf"] {
  const folder = temporaryFolder();
  const work = async (run: Run, signal: AbortSignal) => ({
    options: {
      ...loaded,
      run,
      signal,
      functions,
      workspace: folder,
      controlFile: join(folder, run.run, "behavior.json"),
    },
  });
  return async (definition) =>
    definition === loaded.definition ? { ...loaded, kernel: kernelOf(loaded), work } : undefined;
}

/** A store with its own clock, and workers over it. */
async function hall(steps: readonly object[], agents: object = {}) {
  let time = 0;
  const store = createMemoryStore({ now: () => time });
  const loaded = await templateOf({ agents, steps });
  const folder = temporaryFolder();
  const errors: unknown[] = [];
  const workers: Worker[] = [];
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
  });

  function employ(
    functions: Readonly<Record<string, StepFunction>>,
    more: Partial<WorkerOptions> = {},
  ) {
    const ends: WorkflowEnd[] = [];
    const worker = createWorker({
      driver: createEmbeddedDriver({ store, poll_ms: 5 }),
      ...{ store, runs: async () => [], reconcile_ms: 5, lease_ms: 60_000 },
      templateOf: drivenOf(loaded, functions),
      onEnd: (_, end) => void ends.push(end),
      onError: (error) => void errors.push(error),
      ...more,
    });
    workers.push(worker);
    return { worker, ends };
  }

  async function offer(name: string): Promise<void> {
    const run = await openRun(kernelOf(loaded), { run: name, store, join: true });
    await enqueueWorkflow(store, run, loaded);
    await run.close();
  }

  return { store, loaded, folder, errors, employ, offer, pass: (ms: number) => void (time += ms) };
}

/** A step that waits until the test lets it continue. */
function gate() {
  const [began, go] = [Promise.withResolvers<StepContext>(), Promise.withResolvers<void>()];
  const wait = async (context: StepContext): Promise<undefined> => {
    began.resolve(context);
    await go.promise;
  };
  return { wait, began: began.promise, go: go.resolve };
}

const step = (id: string, run = "work"): object => ({ id, run: { function: run } });
const logOf = (store: Store, run: string): Promise<readonly LogEvent[]> =>
  store.events(run, 0, 1_000);
const count = (log: readonly LogEvent[], type: string): number =>
  log.filter(({ event_type }) => event_type === type).length;

describe("a worker", () => {
  it("takes only an offered run, and records who drove it until when", async () => {
    const { store, employ, offer, loaded, folder } = await hall([step("a"), step("b")]);
    const seen: string[] = [];
    const work = ({ step: id }: StepContext): undefined => void seen.push(id);
    const { worker, ends } = employ({ work }, { name: "w1" });
    const plain = await openRun(kernelOf(loaded), { run: "plain", store });
    await offer("r");
    expect([await worker.look("plain"), await worker.look("nowhere")]).toEqual(["idle", "idle"]);
    expect(await worker.look("r")).toBe("taken");
    await worker.done("r");
    expect([seen, ends]).toEqual([
      ["a", "b"],
      [{ outcome: "completed", step: null, why: null, reason: null }],
    ]);
    const log = await logOf(store, "r");
    expect(log.find(({ event_type }) => event_type === "workflow_taken")?.details).toEqual({
      worker: "w1",
      fence: 1,
      lease_ms: 60_000,
    });
    expect(log.at(-1)).toMatchObject({
      event_type: "workflow_left",
      details: { worker: "w1", fence: 1, why: "ended" },
    });
    expect([await findEnqueuedRun(store, "r"), await worker.look("r")]).toMatchObject([
      { ended: true },
      "idle",
    ]);
    const own = {
      ...loaded,
      run: plain,
      functions: { work },
      workspace: folder,
      controlFile: join(folder, "behavior.json"),
    };
    expect(await runWorkflow(own)).toMatchObject({ outcome: "completed" });
  });

  it("does not take a run that another drives, and takes it when that one stops renewing", async () => {
    const { store, employ, offer, pass } = await hall([step("a"), step("b", "other")]);
    await offer("r");
    const stuck = gate();
    const first = employ({ work: stuck.wait, other: () => void expect.unreachable() });
    const second = employ({ work: () => undefined, other: () => undefined });
    await first.worker.look("r");
    await stuck.began;
    expect(await second.worker.look("r")).toBe("busy");
    pass(60_000);
    expect(await second.worker.look("r")).toBe("taken");
    await second.worker.done("r");
    const ended = await logOf(store, "r");
    // It was only slow, and comes back. It can record nothing any more, and begins nothing.
    stuck.go();
    await first.worker.done("r");
    expect(await logOf(store, "r")).toEqual(ended);
    expect([first.ends, second.ends.map(({ outcome }) => outcome)]).toEqual([[], ["completed"]]);
    expect([count(ended, "workflow_taken"), count(ended, "step_completed")]).toEqual([2, 2]);
  });

  it("that is presumed dead writes nothing between the claim of another and its first event", async () => {
    const { store, employ, offer, pass, loaded } = await hall([step("a")]);
    await offer("r");
    const stuck = gate();
    const { worker } = employ({ work: stuck.wait });
    await worker.look("r");
    await stuck.began;
    pass(60_000);
    const visitor = await openRun(kernelOf(loaded), { run: "r", store, join: true });
    const details = { worker: "w2", fence: 2, lease_ms: 60_000 };
    const claim = await visitor.claim({
      ...{ queue: "bylaw/workflow:r", agent: "w2", lease_ms: 60_000 },
      event: () => ({ event_type: "workflow_taken", agent_id: null, task_id: null, details }),
    });
    expect(claim?.fence).toBe(2);
    stuck.go();
    await worker.done("r");
    expect(count(await logOf(store, "r"), "step_completed")).toBe(0);
  });

  it("that cannot reach the store ends its steps before its lease ends", async () => {
    const { store, employ, offer } = await hall([step("a")]);
    await offer("r");
    let isDown = false;
    const cut = new Proxy<Store>(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (key !== "commit")
          return typeof value === "function"
            ? (value as (...args: readonly unknown[]) => unknown).bind(target)
            : value;
        return (commit: Parameters<Store["commit"]>[0]) =>
          isDown ? Promise.reject(new Error("no store")) : target.commit(commit);
      },
    });
    const work = async ({ signal }: StepContext): Promise<undefined> => {
      isDown = true;
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
    };
    const { worker, ends } = employ({ work }, { store: cut, lease_ms: 300 });
    await worker.look("r");
    await worker.done("r");
    expect([ends, count(await logOf(store, "r"), "step_completed")]).toEqual([[], 0]);
  });

  it("gives back its runs when it is closed, and another continues", async () => {
    const { store, employ, offer } = await hall([step("a"), step("b", "other")]);
    await offer("r");
    const stuck = gate();
    const first = employ({ work: () => undefined, other: stuck.wait });
    await first.worker.look("r");
    await stuck.began;
    await first.worker.close();
    expect((await logOf(store, "r")).at(-1)).toMatchObject({
      event_type: "workflow_left",
      details: { why: "stopped" },
    });
    const second = employ({ work: () => void expect.unreachable(), other: () => undefined });
    // It was woken, because no worker looks at all runs here.
    const served = second.worker.serve();
    await until(() => second.ends.length > 0);
    await second.worker.close();
    await served;
    expect(count(await logOf(store, "r"), "step_completed")).toBe(2);
    stuck.go();
  });

  it("drives only runs whose template it has, even after a person has migrated a run to another", async () => {
    const { store, loaded, employ, offer } = await hall([step("a")]);
    await offer("r");
    const next = await templateOf({ steps: [step("a"), step("b")] });
    const old = employ({ work: () => undefined });
    const fresh = employ(
      { work: () => undefined },
      { templateOf: drivenOf(next, { work: () => undefined }) },
    );
    expect(await fresh.worker.look("r")).toBe("busy");
    const run = await openRun(kernelOf(next), { run: "r", store, join: true });
    await migrateWorkflow(run, { before: loaded.template, loaded: next, by: "ada" });
    await expect(enqueueWorkflow(store, run, loaded)).rejects.toFailWith("BYLAW_TEMPLATE_CHANGED");
    await enqueueWorkflow(store, run, next);
    await run.close();
    expect([await old.worker.look("r"), await fresh.worker.look("r")]).toEqual(["busy", "taken"]);
    await fresh.worker.done("r");
    expect([count(await logOf(store, "r"), "step_completed"), fresh.ends.length]).toEqual([2, 1]);
  });

  it("begins no more steps of a template from which a run was migrated: a worker with the new one runs them", async () => {
    const { store, loaded, employ, offer, errors } = await hall([
      step("plan"),
      step("work"),
      step("publish"),
    ]);
    await offer("r");
    const next = await templateOf({
      steps: ["plan", "review", "again", "work", "approve", "publish"].map((id) => step(id)),
    });
    const seen: string[] = [];
    const old = employ({
      work: async ({ step: id }) => {
        seen.push(`old ${id}`);
        if (id !== "work") return;
        const run = await openRun(kernelOf(next), { run: "r", store, join: true });
        await migrateWorkflow(run, { before: loaded.template, loaded: next, by: "ada" });
        await enqueueWorkflow(store, run, next);
        await run.close();
      },
    });
    await old.worker.look("r");
    await old.worker.done("r");
    expect([seen, old.ends]).toEqual([["old plan", "old work"], []]);
    expect(errors).toMatchObject([{ code: "BYLAW_TEMPLATE_CHANGED" }]);
    // A process that waits for the end with the old template keeps waiting.
    const waiting = await openRun(kernelOf(loaded), { run: "r", store, join: true });
    expect(workflowEnd(loaded.template, waiting)).toBeUndefined();
    await waiting.close();
    const fresh = employ(
      {},
      { templateOf: drivenOf(next, { work: ({ step: id }) => void seen.push(id) }) },
    );
    expect(await fresh.worker.look("r")).toBe("taken");
    await fresh.worker.done("r");
    expect([seen, fresh.ends]).toMatchObject([
      ["old plan", "old work", "approve", "publish"],
      [{ outcome: "completed" }],
    ]);
  });

  it.each(["step_started", "step_skipped", "step_settled", "call_started", "workflow_ended"])(
    "records no %s of a template from which a person has just migrated the run",
    async (type) => {
      const agents = {
        worker: { run: { function: "ask" } },
        helper: { run: { function: "work" } },
      };
      const steps = [
        { id: "a", agent: "worker", trigger: "helper" },
        { ...step("b"), when: "a.success == false" },
      ];
      const { store, loaded, folder } = await hall(steps, agents);
      const next = await templateOf({ agents, steps: [...steps, step("c")] });
      const run = await openRun(kernelOf(loaded), { run: "r", store });
      let isMoved = false;
      const late = Object.create(run, {
        record: {
          value: async (...given: Parameters<Run["record"]>) => {
            if (!isMoved && given[0].some(({ event_type }) => event_type === type)) {
              isMoved = true;
              const other = await openRun(kernelOf(next), { run: "r", store, join: true });
              await migrateWorkflow(other, { before: loaded.template, loaded: next, by: "ada" });
              await other.close();
            }
            return run.record(...given);
          },
        },
      }) as Run;
      const ask = async (context: StepContext): Promise<undefined> =>
        void (await context.run.behave({ action: "trigger", step: context.step, agent: "worker" }));
      const functions = { ask, work: () => undefined };
      const going = {
        ...loaded,
        functions,
        workspace: folder,
        controlFile: join(folder, "behavior.json"),
      };
      await expect(runWorkflow({ ...going, run: late })).rejects.toFailWith("BYLAW_EVENT_REFUSED");
      expect([isMoved, (await logOf(store, "r")).at(-1)?.event_type]).toEqual([
        true,
        "workflow_migrated",
      ]);
      await run.catchUp();
      expect(await runWorkflow({ ...going, ...next, run })).toMatchObject({ outcome: "completed" });
      expect(count(await logOf(store, "r"), "step_completed")).toBe(2);
      await run.close();
    },
  );

  it("drives an ended run again when a person continues it from a step", async () => {
    const { store, loaded, employ, offer } = await hall([
      step("a"),
      { ...step("b"), repeatable: true },
    ]);
    await offer("r");
    const seen: string[] = [];
    const { worker, ends } = employ({ work: ({ step: id }) => void seen.push(id) });
    await worker.look("r");
    await worker.done("r");
    const run = await openRun(kernelOf(loaded), { run: "r", store, join: true });
    await moveWorkflow(run, { by: "ada", to: 1 });
    expect(await worker.look("r")).toBe("idle");
    await enqueueWorkflow(store, run, loaded);
    await run.close();
    expect(await worker.look("r")).toBe("taken");
    await worker.done("r");
    expect([seen, ends.length, (await findEnqueuedRun(store, "r"))?.ended]).toEqual([
      ["a", "b", "b"],
      2,
      true,
    ]);
  });

  it("continues a run that a person moves to a step just when it ends", async () => {
    const { store, loaded, employ, offer, errors } = await hall([
      step("a"),
      { ...step("b"), repeatable: true },
    ]);
    await offer("r");
    const seen: string[] = [];
    let isMoved = false;
    const late = new Proxy<Store>(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (key !== "commit")
          return typeof value === "function"
            ? (value as (...args: readonly unknown[]) => unknown).bind(target)
            : value;
        return async (commit: Parameters<Store["commit"]>[0]) => {
          if (!isMoved && commit.events.some(({ event_type }) => event_type === "workflow_left")) {
            isMoved = true;
            const run = await openRun(kernelOf(loaded), { run: "r", store, join: true });
            await moveWorkflow(run, { by: "ada", to: 1 });
            await enqueueWorkflow(store, run, loaded);
            await run.close();
          }
          return target.commit(commit);
        };
      },
    });
    const { worker, ends } = employ(
      { work: ({ step: id }) => void seen.push(id) },
      { store: late },
    );
    await worker.look("r");
    await worker.done("r");
    expect(await worker.look("r")).toBe("taken");
    await worker.done("r");
    expect([seen, ends.length, (await findEnqueuedRun(store, "r"))?.ended, errors]).toEqual([
      ["a", "b", "b"],
      2,
      true,
      [],
    ]);
    const left = (await logOf(store, "r")).filter(
      ({ event_type }) => event_type === "workflow_left",
    );
    expect(left.map(({ details }) => details["why"])).toEqual(["stopped", "ended"]);
  });

  it("retries later what it cannot carry out, and reports why", async () => {
    const { store, loaded, employ, offer, errors } = await hall([step("a")]);
    await offer("r");
    const work = async (): Promise<never> => {
      throw new Error("no workspace");
    };
    const failing = employ(
      {},
      { templateOf: async () => ({ ...loaded, kernel: kernelOf(loaded), work }) },
    );
    await failing.worker.look("r");
    await failing.worker.done("r");
    expect(errors.map(String)).toEqual(["Error: no workspace"]);
    expect((await logOf(store, "r")).at(-1)).toMatchObject({
      event_type: "workflow_left",
      details: { why: "failed" },
    });
    expect(await failing.worker.look("r")).toBe("busy");
    // A worker that can carry it out does so in the meantime.
    const able = employ({ work: () => undefined });
    expect(await able.worker.look("r")).toBe("taken");
    await able.worker.done("r");
    const [wake, ...more] = await logOf(store, "@wakes");
    expect([wake?.event_type, wake?.details["run"], more]).toEqual(["wake_set", "r", []]);
    expect(Number(wake?.details["at"])).toBeGreaterThan(Date.now() - 60_000);
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
