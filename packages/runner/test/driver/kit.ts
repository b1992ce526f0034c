import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { checkpoint } from "@bylaw/plugin-checkpoint";
import { loop } from "@bylaw/plugin-loop";
import { openPostgresReader, openPostgresStore } from "@bylaw/store-postgres";
import { openDbosDriver } from "../../src/dbos/index.ts";
import {
  createEmbeddedDriver,
  loopOptionsOf,
  parseTemplate,
  workflow,
  type Driver,
  type DrivenTemplate,
  type LoadedTemplate,
  type StepContext,
} from "../../src/index.ts";
import { openRestateDriver } from "../../src/restate/index.ts";

/** Where the processes of one test meet. */
export interface Place {
  readonly url: string;
  readonly schema: string;
  /** The folder for the output of steps. */
  readonly folder: string;
  readonly engine: Engine;
}

/** A driver, and what it needs beside the store. */
export interface Engine {
  readonly name: "embedded" | "dbos" | "restate";
  readonly restate?:
    | { readonly ingress: string; readonly admin: string; readonly address: string }
    | undefined;
}

export const openStore = ({ url, schema }: Place): Promise<Store> =>
  openPostgresStore(url, { schema, connections: 3, poll_ms: 500 });
export const openReader = ({ url, schema }: Place) =>
  openPostgresReader(url, { schema, connections: 2 });

/** The driver of one process. `port`: where Restate finds a process that serves. */
export async function openDriver(
  { engine, url, schema }: Place,
  store: Store,
  { port, onError }: { readonly port?: number; readonly onError?: (error: unknown) => void } = {},
): Promise<Driver> {
  const more = onError === undefined ? {} : { onError };
  if (engine.name === "embedded")
    return createEmbeddedDriver({ store, poll_ms: 100, lease_ms: 1_000, ...more });
  if (engine.name === "dbos")
    return openDbosDriver({
      store,
      url,
      schema: `${schema}_dbos`,
      poll_ms: 100,
      lease_ms: 1_000,
      ...more,
    });
  const { ingress = "", admin = "", address = "" } = engine.restate ?? {};
  return openRestateDriver({
    ingress,
    ...(port === undefined ? {} : { admin, address, listen: { port } }),
    ...more,
  });
}

const step = (id: string): object => ({ id, run: { function: "work" } });
const TEMPLATES: Readonly<Record<string, readonly object[]>> = {
  short: [step("plan"), step("code"), step("check")],
  pausing: [step("plan"), step("ask"), step("last")],
  slow: [step("plan"), step("wait"), step("last")],
};

export const loadedOf = (name: string): Promise<LoadedTemplate> =>
  parseTemplate(JSON.stringify({ bylaw: 1, name, steps: TEMPLATES[name] }), {
    file: `${name}.json`,
  });

const kernelOf = ({ template }: LoadedTemplate) =>
  createKernel({ plugins: [loop(loopOptionsOf(template)), checkpoint(), workflow()] });

/** The templates that a worker of these tests has, by digest. */
export async function drivenIn(folder: string): Promise<ReadonlyMap<string, DrivenTemplate>> {
  const driven = new Map<string, DrivenTemplate>();
  for (const name of Object.keys(TEMPLATES)) {
    const loaded = await loadedOf(name);
    driven.set(loaded.definition, {
      ...loaded,
      kernel: kernelOf(loaded),
      work: async (run, signal) => ({
        options: {
          ...{ ...loaded, run, signal, workspace: folder },
          ...{
            controlFile: join(folder, run.run, "behavior.json"),
            functions: { work: work(folder) },
          },
        },
      }),
    });
  }
  return driven;
}

// Records which step is at work. `ask` asks for a pause; `wait` waits until a person says `go`.
const work =
  (folder: string) =>
  async ({
    run: { run },
    step: id,
    attempt,
    controlFile,
    signal,
  }: StepContext): Promise<undefined> => {
    appendFileSync(join(folder, `${run}.txt`), `${id} ${attempt} ${process.pid}\n`);
    if (id === "ask")
      writeFileSync(controlFile, JSON.stringify({ action: "checkpoint", reason: "look" }));
    const isWaiting = (): boolean => id === "wait" && !existsSync(join(folder, `${run}.go`));
    while (isWaiting()) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

export const openAs = async (template: string, run: string, store: Store): Promise<Run> =>
  openRun(kernelOf(await loadedOf(template)), { run, store, join: true });

/** The steps that began, in order: `step attempt pid`. */
export const traceOf = ({ folder }: Place, run: string): readonly string[] => {
  const file = join(folder, `${run}.txt`);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
