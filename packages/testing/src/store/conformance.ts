import type { TestRunner } from "../run-examples.ts";
import { chains } from "./chain.ts";
import { commits } from "./commits.ts";
import { documents } from "./documents.ts";
import { describeGroup, type StoreFactory } from "./kit.ts";
import { life } from "./life.ts";
import { load } from "./load.ts";
import { logs } from "./logs.ts";
import { names } from "./names.ts";
import { records } from "./records.ts";
import { runs } from "./runs.ts";
import { claimAdmission, taskClaims } from "./task-claims.ts";
import { taskFences } from "./task-fences.ts";
import { expiredLeases, leaseLimits, leaseRenewals, sweptLeases } from "./task-leases.ts";
import { watchers } from "./watch.ts";

const tasks = {
  ...taskClaims,
  ...claimAdmission,
  ...taskFences,
  ...expiredLeases,
  ...sweptLeases,
  ...leaseRenewals,
  ...leaseLimits,
};

const GROUPS = [
  ["the log of", logs],
  ["the chain of", chains],
  ["a commit of", commits],
  ["a document of", documents],
  ["a task of", tasks],
  ["the event of a claim or a sweep of", records],
  ["a watcher of", watchers],
  ["the names in", names],
  ["many runs at once in", runs],
  ["the life of", life],
  ["everything at once on", load],
] as const;

/** Tests any store against the contract of `Store`, with the same sentences for every engine. Each test creates its own store. */
export function describeStore(name: string, create: StoreFactory, runner: TestRunner): void {
  for (const [subject, group] of GROUPS) describeGroup(`${subject} ${name}`, create, runner, group);
}
