import { z } from "zod";
import {
  allow,
  createKernel,
  defineProjection,
  type Config,
  type LogEvent,
  type Plugin,
  type Sink,
  type ToolCall,
} from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import {
  createMemoryStore,
  openRun,
  type OpenOptions,
  type Run,
  type SinkWriter,
} from "../src/index.ts";
import { HOOKS, forged, voter } from "./kit.ts";

export const NOW = "2026-01-02T03:04:05.000Z";

export const allowing = (...hooks: readonly (typeof HOOKS)[number][]): readonly Plugin[] =>
  hooks.map((hook) => voter(`allows-${hook}`, hook, () => allow("fine"), { grants: true }));
export const permissive = allowing(...HOOKS);
/** Opens a run that joins the current session, if there is one. */
export const open = (config: Config, options: Partial<OpenOptions> = {}): Promise<Run> =>
  openRun(createKernel(config), { run: "r1", now: () => NOW, join: true, ...options });
/** Opens a run in a session of its own. */
export const takeOver = (config: Config, options: Partial<OpenOptions> = {}): Promise<Run> =>
  open(config, { join: false, ...options });
/** Opens a run over a new store. */
export async function opened(config: Config, options: Partial<OpenOptions> = {}) {
  const store = createMemoryStore();
  return { store, run: await open(config, { ...options, store }) };
}
/** Opens a run in a session of its own, over a new store. */
export const takenOver: typeof opened = (config, options) =>
  opened(config, { join: false, ...options });
export const logOf = (store: Store): Promise<readonly LogEvent[]> => store.events("r1", 0, 100_000);
export const typesOf = async (store: Store): Promise<readonly string[]> =>
  (await logOf(store)).map(({ event_type }) => event_type);
/** A store that uses another `commit` once a session has begun. */
export function afterOpening(store: Store, commit: Store["commit"]): Store {
  let opened = false;
  return {
    ...store,
    async commit(one) {
      if (opened) return commit(one);
      opened = true;
      return store.commit(one);
    },
  };
}
/** A sink that returns this writer for every run. */
export const sinkOf = ({
  name = "s",
  required = true,
  ...writer
}: Partial<Sink> & SinkWriter): Sink => ({ name, required, open: () => writer });
export const withSinks = (...sinks: readonly Sink[]): readonly Plugin[] => [
  ...permissive,
  pluginOf("sinks", (kernel) => sinks.forEach((sink) => kernel.sink(sink))),
];
export const sequencesOf = (events: readonly LogEvent[]): readonly number[] =>
  events.map(({ sequence }) => sequence);
export const upTo = (last: number, first = 1): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
/** Resolves when every promise that is ready has settled. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const tool = (fields: Partial<ToolCall> = {}) => ({
  id: "c1",
  agent: "a1",
  tool: "read_file",
  args: { path: "a" },
  ...fields,
});

export const counter = defineProjection<Readonly<Record<string, number>>>({
  name: "demo/counter",
  version: 1,
  initial: {},
  reduce: (state, { event_type }) => ({ ...state, [event_type]: (state[event_type] ?? 0) + 1 }),
});
export const counts = pluginOf("counts", (kernel) => kernel.projection(counter));
export const noted = pluginOf("noted", (kernel) =>
  kernel.event({ name: "note", details: z.strictObject({ text: z.string() }) }),
);
export const note = (text: unknown = "hello") => ({
  event_type: "note",
  agent_id: "a1",
  task_id: null,
  details: forged({ text }),
});
