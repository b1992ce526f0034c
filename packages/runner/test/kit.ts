import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { checkpoint } from "@bylaw/plugin-checkpoint";
import { loop } from "@bylaw/plugin-loop";
import { trigger } from "@bylaw/plugin-trigger";
import { vibecheck } from "@bylaw/plugin-vibecheck";
import { temporaryFolder } from "@bylaw/testing";
import {
  loopOptionsOf,
  parseTemplate,
  runWorkflow,
  triggerOptionsOf,
  workflow,
  type LoadedTemplate,
  type StepContext,
  type StepFunction,
  type WorkflowEnd,
  type WorkflowOptions,
} from "../src/index.ts";

/** Creates a template from its parts, with a version and a name. */
export const templateOf = (parts: object): Promise<LoadedTemplate> =>
  parseTemplate(JSON.stringify({ bylaw: 1, name: "w", ...parts }), { file: "w.json" });

/** A kernel with everything that a template's steps may request. */
function kernelOf({ template }: LoadedTemplate) {
  const called = triggerOptionsOf(template);
  return createKernel({
    plugins: [
      loop(loopOptionsOf(template)),
      ...(called === undefined ? [] : [trigger(called)]),
      checkpoint(),
      vibecheck(),
      workflow(),
    ],
  });
}

/** One workflow in a folder. It can be run repeatedly, as different processes would. */
export interface Stage {
  readonly store: Store;
  readonly folder: string;
  readonly controlFile: string;
  open(): Promise<Run>;
  go(more?: Partial<WorkflowOptions>): Promise<WorkflowEnd>;
  types(): Promise<readonly string[]>;
}

export function stage(
  loaded: LoadedTemplate,
  functions: Readonly<Record<string, StepFunction>> = {},
): Stage {
  const store = createMemoryStore();
  const folder = temporaryFolder();
  const controlFile = join(folder, "behavior.json");
  const open = (): Promise<Run> => openRun(kernelOf(loaded), { run: "r", store });
  return {
    store,
    folder,
    controlFile,
    open,
    async go(more = {}) {
      const run = more.run ?? (await open());
      const { template, definition } = loaded;
      return runWorkflow({
        run,
        template,
        definition,
        workspace: folder,
        controlFile,
        functions,
        ...more,
      }).finally(() => run.close());
    },
    types: async () => (await store.events("r", 0, 100_000)).map(({ event_type }) => event_type),
  };
}

/** One workflow of a template with these parts. */
export const stageOf = async (
  parts: object,
  functions?: Readonly<Record<string, StepFunction>>,
): Promise<Stage> => stage(await templateOf(parts), functions);

/** Writes a request as an agent does. */
export const write = (file: string, request: object | string): void =>
  writeFileSync(file, typeof request === "string" ? request : JSON.stringify(request));

/** A function that records which agent was at work, and makes the given requests one by one. */
export function player(
  requests: Readonly<Record<string, readonly (object | string | null)[]>> = {},
) {
  const trace: string[] = [];
  const left = new Map(Object.entries(requests).map(([key, list]) => [key, [...list]]));
  const play = ({ step, agent, visit, controlFile }: StepContext): undefined => {
    trace.push(
      agent === null || agent === "worker" ? `${step}${visit}` : `${step}${visit}:${agent}`,
    );
    const request = left.get(agent === null || agent === "worker" ? step : agent)?.shift();
    if (request !== undefined && request !== null) write(controlFile, request);
  };
  return { trace, functions: { play } };
}

/** A workflow of a template with these parts, whose functions record and request as those of `player`. */
export async function playing(parts: object, requests?: Parameters<typeof player>[0]) {
  const { trace, functions } = player(requests);
  return { trace, at: await stageOf(parts, functions) };
}
