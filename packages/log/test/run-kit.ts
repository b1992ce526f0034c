import { z } from "zod";
import { allow, createKernel, defineProjection, type Config, type LogEvent, type Plugin, type Store, type ToolCall } from "@bylaw/kernel";
import { openRun, type OpenOptions, type Run } from "../src/index.ts";
import { HOOKS, forged, plugin, voter } from "./kit.ts";

export const NOW = "2026-01-02T03:04:05.000Z";

export const allowing = (...hooks: readonly (typeof HOOKS)[number][]): readonly Plugin[] =>
  hooks.map((hook) => voter(`allows-${hook}`, hook, () => allow("fine"), { grants: true }));
export const permissive = allowing(...HOOKS);
export const open = (config: Config, options: Partial<OpenOptions> = {}): Promise<Run> =>
  openRun(createKernel(config), { run: "r1", now: () => NOW, ...options });
export const logOf = (store: Store): Promise<readonly LogEvent[]> => store.events("r1", 0, 100_000);
export const typesOf = async (store: Store): Promise<readonly string[]> => (await logOf(store)).map(({ event_type }) => event_type);
export const tool = (fields: Partial<ToolCall> = {}) => ({ id: "c1", agent: "a1", tool: "read_file", args: { path: "a" }, ...fields });

export const counter = defineProjection<Readonly<Record<string, number>>>({
  name: "demo/counter",
  version: 1,
  initial: {},
  reduce: (state, { event_type }) => ({ ...state, [event_type]: (state[event_type] ?? 0) + 1 }),
});
export const counts = plugin("counts", (kernel) => kernel.projection(counter));
export const noted = plugin("noted", (kernel) => kernel.event({ name: "note", details: z.strictObject({ text: z.string() }) }));
export const note = (text: unknown = "hello") => ({ event_type: "note", agent_id: "a1", task_id: null, details: forged({ text }) });
