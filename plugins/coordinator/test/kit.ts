import { createKernel, type Plugin } from "@bylaw/kernel";
import {
  createCatalogue,
  createLogVerifier,
  createMemoryStore,
  formatEventLine,
  openRun,
  type OpenOptions,
  type Run,
} from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { coordinator, coordinatorOrder } from "../src/index.ts";
import { of, plain, type Given } from "./life-kit.ts";

export { of, plain, type Given };

/** A run under the plugin. */
export const open = (
  store: Store = createMemoryStore(),
  options: Partial<OpenOptions> = {},
  plugin: Plugin = coordinator(),
): Promise<Run> =>
  openRun(createKernel({ plugins: [plugin], fallback: "allow" }), { run: "r1", store, ...options });

export const dispatched = (task = "t", agent = "dev"): Given =>
  of("developer_dispatched", task, agent, { blocked_by: [] });
export const ready = (task = "t", agent = "dev"): Given =>
  of("developer_ready_for_review", task, agent, { files_modified: ["a.ts"] });
export const critic = (task = "t", agent = "critic"): Given =>
  of("critic_dispatched", task, agent, { files_to_review: ["a.ts"] });
export const pass = (task = "t", agent = "critic"): Given =>
  of("critic_pass", task, agent, { review_summary: "fine" });
export const auditor = (task = "t", agent = "auditor"): Given =>
  of("auditor_dispatched", task, agent, { files_to_audit: ["a.ts"] });
export const complete = (task = "t", agent = "auditor"): Given =>
  of("task_complete", task, agent, { evidence_summary: "tests" });
export const reviewed = (task = "t"): readonly Given[] => [
  dispatched(task),
  ready(task),
  critic(task),
  pass(task),
];
export const whole = (task = "t"): readonly Given[] => [
  ...reviewed(task),
  auditor(task),
  complete(task),
];
export const ended = plain("workflow_failed", { reason: "x", last_state: null });

/** The code of the error that a promise rejects with, and the rule that it names; nothing where it resolves. */
export async function refusal(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    const { code, fix = "" } = error as { readonly code?: string; readonly fix?: string };
    return `${code} ${/rule (\w+) of/.exec(fix)?.[1] ?? ""}`.trim();
  }
}

/** The types of the events on record. */
export const typesIn = async (store: Store): Promise<readonly string[]> =>
  (await store.events("r1", 0, 100_000)).map(({ event_type }) => event_type);

/** The rules that a store's log breaks, to the strictest catalogue. */
export async function findingsIn(store: Store): Promise<readonly string[]> {
  const verifier = createLogVerifier({
    order: coordinatorOrder,
    catalogue: createCatalogue({ mode: "strict" }),
  });
  const events = await store.events("r1", 0, 100_000);
  return events.flatMap((event) => verifier.line(formatEventLine(event)).map(({ rule }) => rule));
}
