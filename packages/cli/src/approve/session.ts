import { resolve } from "node:path";
import { createConfiguredKernel } from "@bylaw/config";
import type { Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import {
  gatesOf,
  noOpenQuestion,
  type ProjectGates,
  type Question,
} from "@bylaw/orchestrator/approvals";
import { kernelOf, nearestConfig } from "../run/run-kernel.ts";
import { bundled } from "../decide/kernel-source.ts";
import type { RunPlace } from "../log/follow-run.ts";
import { noSuchRun, withReader, withStore } from "../log/open-store.ts";
import { runsIn } from "../log/project-store.ts";
import { whileLoading } from "../io/exit-code.ts";
import { readQuestions, type ReadQuestions } from "./read-questions.ts";

/** The options that all `bylaw approve` commands share. */
export interface ApproveOptions {
  /** The store. Default: the store of the project. */
  readonly store?: string;
  /** The run. Default: the run that asks the question. */
  readonly run?: string;
  /** The address of a server to ask instead of a store. */
  readonly url?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export interface Project {
  readonly file: string;
  readonly kernel: Kernel;
  readonly gates: ProjectGates | undefined;
}

/** The project of the given configuration, or of the nearest one in this folder or above. */
export async function projectOf({ config }: Pick<ApproveOptions, "config">): Promise<Project> {
  const file = config === undefined ? await nearestConfig() : resolve(config);
  if (file === undefined) {
    // Without a configuration there are no gates or policies, but agents can still pause.
    const { kernel } = await kernelOf(undefined, undefined);
    return { file: resolve("bylaw.config"), kernel, gates: undefined };
  }
  return await whileLoading(file, async () => {
    const { kernel } = await createConfiguredKernel({ file, bundled: bundled() });
    return { file, kernel, gates: await gatesOf(kernel, file, bundled()) };
  });
}

/** Reads the open questions of a run without changing it. Throws BYLAW_RUN_MISSING. */
export function lookAt<T>(
  { kernel, gates }: Project,
  { store, run }: RunPlace,
  work: (read: ReadQuestions) => Promise<T>,
): Promise<T> {
  return withReader(store, async (opened) => {
    const questions = await readQuestions({ store: opened, run, kernel, gates }, Date.now());
    if (questions.head === 0) throw await noSuchRun(opened, run);
    return await work(questions);
  });
}

/** A question and its run. */
export interface AskedQuestion {
  readonly place: RunPlace;
  readonly question: Question;
  /** The ids of all agents of the run. */
  readonly agents: ReadonlySet<string>;
}

/** Finds a question by its id, in the given run or in all runs of the store. Throws BYLAW_APPROVAL_MISSING. */
export async function findQuestion(
  project: Project,
  options: ApproveOptions,
  id: string,
): Promise<AskedQuestion> {
  for (const place of (await runsIn(options)).toReversed()) {
    const asked = await lookAt(project, place, async ({ open, read, agents, stateOf }) => {
      const found = open.find((one) => one.id === id);
      const state = stateOf(id);
      if (found !== undefined) return { place, question: await read(found), agents };
      if (state !== undefined) throw noOpenQuestion(id, state);
      return undefined;
    });
    if (asked !== undefined) return asked;
  }
  throw noOpenQuestion(id);
}

/** Joins a run without taking it over from the process that drives it. Throws BYLAW_RUN_MISSING if the run does not exist. */
export async function joined<T>(
  project: Project,
  { store, run: name }: RunPlace,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const { kernel } = project;
  return await withStore(store, { create: false }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      return await work(run);
    } finally {
      await run.close();
    }
  });
}
