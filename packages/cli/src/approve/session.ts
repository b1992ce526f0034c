import { resolve } from "node:path";
import { createConfiguredKernel } from "@bylaw/config";
import type { Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import {
  gatesOf,
  nothingOpen,
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

/** The options of every command that is about what waits for a person. */
export interface ApproveOptions {
  /** Default: the project's. */
  readonly store?: string;
  /** Default: the run that the question is of. */
  readonly run?: string;
  /** A server that is asked instead. */
  readonly url?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export interface Project {
  readonly file: string;
  readonly kernel: Kernel;
  readonly gates: ProjectGates | undefined;
}

/** The project whose configuration is named, or the nearest one upwards. */
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

/** What a run asks of people. Reads, and changes nothing. Throws BYLAW_RUN_MISSING. */
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

/** A question, and the run that asks it. */
export interface AskedQuestion {
  readonly place: RunPlace;
  readonly question: Question;
  /** Every agent of the run. */
  readonly agents: ReadonlySet<string>;
}

/** The question that has an id, in the run that is named or in any of the store. Throws BYLAW_APPROVAL_MISSING. */
export async function findQuestion(
  project: Project,
  options: ApproveOptions,
  id: string,
): Promise<AskedQuestion> {
  for (const place of (await runsIn(options)).toReversed()) {
    const asked = await lookAt(project, place, async ({ open, read, agents }) => {
      const found = open.find((one) => one.id === id);
      return found === undefined ? undefined : { place, question: await read(found), agents };
    });
    if (asked !== undefined) return asked;
  }
  throw nothingOpen(id);
}

/** Takes part in a run that others keep, and takes it over from nobody. Throws BYLAW_RUN_MISSING for one that was never begun. */
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
