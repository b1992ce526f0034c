import { allow, createKernel, deny, type Kernel, type Plugin } from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";
import { z } from "zod";
import { tasks, type HeldTask, type TaskRules } from "../src/index.ts";

/** The contract's rules for tasks, with some fields replaced. */
export function rules(
  crash: Partial<TaskRules["recovery"]["agentCrash"]> = {},
  coordination: Partial<TaskRules["coordination"]> = {},
): TaskRules {
  return {
    coordination: {
      snapshotIncludes: [
        "task_dependencies",
        "completed_tasks",
        "current_phase",
        "blockers",
        "prd_state",
      ],
      bus: { type: undefined, path: undefined, events: [] },
      leaseSeconds: 300,
      optimisticLocking: true,
      ...coordination,
    },
    recovery: {
      agentCrash: { action: "retry", maxRetries: 2, backoffSeconds: 60, ...crash },
      checkpointIntervalSeconds: 300,
      gateTimeout: { action: "escalate_to_human", preserveState: true },
    },
  };
}

/** Allows every call, and each transition out of a phase only once; completion needs an artifact. */
export const permits = pluginOf(
  "permits",
  (kernel) => {
    kernel.event({ name: "directive_issued", details: z.looseObject({ directive: z.string() }) });
    kernel.event({
      name: "directive_completed",
      details: z.looseObject({ directive: z.string() }),
    });
    kernel.hooks.beforeToolCall.tap("all", () => allow("fine"));
    kernel.hooks.onTransition.tap("all", ({ from, to, artifacts }) => {
      if (from === to)
        return deny("The task is in this phase already.", "Go on.", { code: "unfinished" });
      if (to === "@completed" && artifacts["summary"] === undefined) {
        return deny("The summary is missing.", "Write it.", { code: "unfinished" });
      }
      return allow("fine");
    });
  },
  { grants: true, codes: { unfinished: "the artifact is missing" } },
);

export const kernelWith = (...plugins: readonly Plugin[]): Kernel =>
  createKernel({ plugins: [permits, tasks(), ...plugins] });

export const holdOf = ({ task, agent, fence }: HeldTask) => ({ task, agent, fence });
export const summary = { artifacts: { summary: "done" } } as const;
export const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);
