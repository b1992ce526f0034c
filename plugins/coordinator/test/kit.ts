import { createKernel, type Plugin } from "@bylaw/kernel";
import { createMemoryStore, openRun, type OpenOptions, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { expect } from "vitest";
import { coordinator } from "../src/index.ts";
import { findingsIn, plain } from "./life-kit.ts";

export * from "./life-kit.ts";

/** Opens a run under the plugin. */
export const open = (
  store: Store = createMemoryStore(),
  options: Partial<OpenOptions> = {},
  plugin: Plugin = coordinator(),
): Promise<Run> =>
  openRun(createKernel({ plugins: [plugin], fallback: "allow" }), { run: "r1", store, ...options });

export const ended = plain("workflow_failed", { reason: "x", last_state: null });

/** The code of the error that a promise rejects with, and the rule in it; undefined if it resolves. */
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

/** The rules that the log of a store breaks, under the strictest catalogue. */
export const rulesBroken = async (store: Store): Promise<readonly string[]> =>
  findingsIn(await store.events("r1", 0, 100_000)).map(({ rule }) => rule);

/** Expects that a rule refuses these events together. */
export const refuses = async (
  rule: string,
  run: Run,
  ...events: Parameters<Run["record"]>[0]
): Promise<void> => expect(await refusal(run.record(events))).toBe(`BYLAW_EVENT_REFUSED ${rule}`);
