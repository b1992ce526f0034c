import type { Contract } from "@bylaw/contract";
import type { Kernel } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { escalateGates } from "@bylaw/plugin-gates";
import { raiseAlerts } from "@bylaw/plugin-monitoring";
import type { Tasks } from "@bylaw/plugin-tasks";
import type { Step } from "./scheduler.ts";

interface DueTerms {
  readonly run: Run;
  readonly kernel: Pick<Kernel, "declared">;
  readonly contract: Contract;
  readonly store: Pick<Store, "sweep">;
  readonly tasks: Pick<Tasks, "recover">;
  readonly now: () => string;
}

/**
 * What becomes due in a run, as far as its kernel knows of it: tasks of agents that were lost, gates out of time, alerts. What expires
 * in the store is freed too, but no lease: those of this run are recovered on record, and others in the store are for others to free.
 */
export function dueSteps({
  run,
  kernel: { declared },
  contract,
  store,
  tasks,
  now,
}: DueTerms): readonly Step[] {
  const knows = (plugin: string): boolean => declared.plugins.includes(plugin);
  const steps: Step[] = [{ name: "read", work: async () => (await run.catchUp(), 0) }];
  if (knows("@bylaw/plugin-tasks"))
    steps.push({ name: "tasks", work: async () => (await tasks.recover()).length });
  if (knows("@bylaw/plugin-gates"))
    steps.push({
      name: "gates",
      work: async () => (await escalateGates(run, contract, { now })).length,
    });
  if (knows("@bylaw/plugin-monitoring"))
    steps.push({
      name: "alerts",
      work: async () => {
        const { raised, cleared } = await raiseAlerts(run, contract, { at: now() });
        return raised.length + cleared.length;
      },
    });
  // How many it frees is no event of this run.
  steps.push({ name: "store", work: async () => (await store.sweep(), 0) });
  return steps;
}
