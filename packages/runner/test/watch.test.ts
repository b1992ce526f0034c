import { existsSync } from "node:fs";
import type { JsonObject } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { resumeCheckpoint } from "@bylaw/plugin-checkpoint";
import { workflowState, type StepContext } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { stage, templateOf, write } from "./kit.ts";

/** Waits until the request was taken. Otherwise the step would run for ever. */
async function taken(file: string, killed: () => boolean): Promise<void> {
  while (existsSync(file) && !killed()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const step = (id: string, more: object = {}) => ({ id, run: { function: "work" }, ...more });

/** A workflow whose steps make one request after the other, each when the one before was read. */
async function asking(
  steps: readonly object[],
  requests: Readonly<Record<string, readonly (object | "fail")[]>>,
  more: object = {},
) {
  const seen: string[] = [];
  const killed = { yet: false };
  const loaded = await templateOf({ steps, ...more });
  const at = stage(loaded, {
    work: async ({ step: id, agent, visit, attempt, controlFile }: StepContext) => {
      seen.push(
        `${id}${visit}.${attempt}${agent === null || agent === "worker" ? "" : `:${agent}`}`,
      );
      if (agent !== null && agent !== "worker") return undefined;
      for (const request of requests[`${id}${visit}.${attempt}`] ?? []) {
        if (request === "fail") throw new Error("no");
        write(controlFile, request);
        await taken(controlFile, () => killed.yet);
      }
      return undefined;
    },
  });
  const events = async (): Promise<readonly (readonly [string, JsonObject])[]> =>
    (await at.store.events("r", 0, 1_000)).map(
      ({ event_type, details }) => [event_type, details] as const,
    );
  return { ...at, seen, killed, loaded, events };
}

/** A run whose process is killed as soon as a request is recorded. */
const crashing = (run: Run, killed: { yet: boolean }): Run =>
  Object.create(run, {
    behave: {
      value: async (action: Parameters<Run["behave"]>[0]) => {
        await run.behave(action);
        killed.yet = true;
        throw new Error("killed");
      },
    },
    record: {
      value: async (...given: Parameters<Run["record"]>) => {
        if (killed.yet) throw new Error("killed");
        return run.record(...given);
      },
    },
  }) as Run;

describe("a request that is written while the step is at work", () => {
  it("is read at once, recorded and removed, and carried out when the step has ended", async () => {
    const at = await asking([step("a"), step("b", { loop: { steps: 1, max_iterations: 3 } })], {
      "b1.1": [{ action: "loop", reason: "again" }],
    });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(at.seen).toEqual(["a1.1", "b1.1", "a2.1", "b2.1"]);
    const types = (await at.events()).map(([type]) => type);
    const asked = types.indexOf("behavior_applied");
    expect(types.lastIndexOf("behavior_applied")).toBe(asked);
    expect(types.slice(asked - 1, asked + 2)).toEqual([
      "step_started",
      "behavior_applied",
      "step_completed",
    ]);
  });

  it("is kept for the next attempt if the step fails, and is not decided again", async () => {
    const agents = { worker: { run: { function: "work" } }, helper: { run: { function: "work" } } };
    const request = { action: "trigger", triggerAgentId: "helper" };
    const at = await asking(
      [{ id: "a", agent: "worker", retries: 1 }, step("b")],
      { "a1.1": [request, "fail"] },
      { agents },
    );
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(at.seen).toEqual(["a1.1", "a1.2", "a1.1:helper", "b1.1"]);
  });

  it("is read once even if its reader is killed after recording and before removing it", async () => {
    const at = await asking(
      [step("a"), step("b", { loop: { steps: 1, max_iterations: 3 } }), step("c")],
      { "b1.1": [{ action: "loop", reason: "again" }] },
    );
    const run = await at.open();
    await expect(at.go({ run: crashing(run, at.killed) })).rejects.toThrow("killed");
    expect(existsSync(at.controlFile)).toBe(true);
    at.killed.yet = false;
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(at.seen).toEqual(["a1.1", "b1.1", "b1.2", "a2.1", "b2.1", "c1.1"]);
    const events = await at.events();
    expect(events.filter(([type]) => type === "behavior_applied")).toHaveLength(1);
    expect(events.filter(([type]) => type === "control_file_set_aside")).toEqual([]);
  });

  it("is another pause if the next attempt asks in the same words after a person has ended the first", async () => {
    const asks = { action: "checkpoint", reason: "may I deploy?" };
    const at = await asking([step("deploy", { retries: 1 }), step("end")], {
      "deploy1.1": [asks, "fail"],
      "deploy1.2": [asks],
    });
    for (const checkpoints of [1, 2]) {
      expect(await at.go()).toMatchObject({ outcome: "paused", reason: "may I deploy?" });
      const run = await at.open();
      const [pause] = run.view(workflowState).pauses;
      await resumeCheckpoint(run, {
        checkpoint: pause?.checkpoint ?? 0,
        by: "ada",
        definition: at.loaded.definition,
      });
      await run.close();
      expect((await at.events()).filter(([type]) => type === "behavior_applied")).toHaveLength(
        checkpoints,
      );
    }
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    expect(at.seen).toEqual(["deploy1.1", "deploy1.2", "end1.1"]);
  });

  it("is read at the end if reading in the middle failed", async () => {
    const at = await asking([step("a"), step("b", { loop: { steps: 1, max_iterations: 1 } })], {});
    const run = await at.open();
    const failed = { once: false };
    const failing = Object.create(run, {
      behave: {
        value: async (action: Parameters<Run["behave"]>[0]) => {
          if (!failed.once) {
            failed.once = true;
            throw new Error("busy");
          }
          return run.behave(action);
        },
      },
    }) as Run;
    const work = async ({ step: id, visit, controlFile }: StepContext): Promise<undefined> => {
      if (id !== "b" || visit > 1) return undefined;
      write(controlFile, { action: "loop" });
      while (!failed.once) await new Promise((resolve) => setTimeout(resolve, 5));
      return undefined;
    };
    expect(await at.go({ run: failing, functions: { work } })).toMatchObject({
      outcome: "completed",
    });
    expect((await at.events()).filter(([type]) => type === "step_started")).toHaveLength(4);
  });

  it("can only be followed by a stop or a checkpoint: other requests are set aside", async () => {
    const at = await asking([step("a"), step("b", { loop: { steps: 1 } }), step("c")], {
      "b1.1": [
        { action: "loop" },
        { action: "trigger", triggerAgentId: "x" },
        { action: "checkpoint", reason: "look" },
        { action: "stop" },
      ],
    });
    expect(await at.go()).toMatchObject({ outcome: "paused", reason: "look" });
    const run = await at.open();
    const [pause] = run.view(workflowState).pauses;
    await resumeCheckpoint(run, {
      checkpoint: pause?.checkpoint ?? 0,
      by: "ada",
      definition: at.loaded.definition,
    });
    expect(await at.go({ run })).toMatchObject({ outcome: "completed" });
    expect(at.seen).toEqual(["a1.1", "b1.1", "c1.1"]);
    const events = await at.events();
    expect(
      events.filter(([type]) => type === "behavior_applied").map(([, { action }]) => action),
    ).toEqual(["loop", "checkpoint", "stop"]);
    expect(
      events.filter(([type]) => type === "control_file_set_aside").map(([, { why }]) => why),
    ).toEqual(["second"]);
  });
});
