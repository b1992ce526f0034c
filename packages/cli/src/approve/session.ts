import { resolve } from "node:path";
import { createConfiguredKernel, findConfig } from "@bylaw/config";
import type { Kernel } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { gatesOf, type ProjectGates, type Question } from "@bylaw/orchestrator/approvals";
import { bundled } from "../decide/kernel-source.ts";
import { noSuchRun, storePlace, withReader, withStore } from "../log/open-store.ts";
import { whileLoading } from "../io/exit-code.ts";
import { readQuestions, type ReadQuestions } from "./read-questions.ts";

/** The options of every command that is about what waits for a person. */
export interface ApproveOptions {
  readonly store: string;
  readonly run: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** A project as its configuration has it. */
export interface Project {
  readonly file: string;
  readonly kernel: Kernel;
  readonly gates: ProjectGates | undefined;
}

/** The project whose configuration is named, or the nearest one upwards. */
export async function projectOf({ config }: Pick<ApproveOptions, "config">): Promise<Project> {
  const file = config === undefined ? await findConfig(process.cwd()) : resolve(config);
  return await whileLoading(file, async () => {
    const { kernel } = await createConfiguredKernel({ file, bundled: bundled() });
    return {
      file,
      kernel,
      gates: await gatesOf(kernel, file, {
        ...bundled(),
        "@bylaw/plugin-gates": import.meta.resolve("@bylaw/plugin-gates"),
      }),
    };
  });
}

/** What a run asks of people. Reads, and changes nothing. Throws BYLAW_RUN_MISSING. */
export function lookAt<T>(
  { kernel, gates }: Project,
  { store, run }: ApproveOptions,
  work: (read: ReadQuestions) => Promise<T>,
): Promise<T> {
  return withReader(storePlace(store), async (opened) => {
    const questions = await readQuestions({ store: opened, run, kernel, gates }, Date.now());
    if (questions.head === 0) throw await noSuchRun(opened, run);
    return await work(questions);
  });
}

/** The question that has an id; `undefined` where none is open under it. */
export const questionOf = async (
  { open, read }: ReadQuestions,
  id: string,
): Promise<Question | undefined> => {
  const found = open.find((one) => one.id === id);
  return found === undefined ? undefined : await read(found);
};

/** Takes part in a run that others keep, and takes it over from nobody. Throws BYLAW_RUN_MISSING for one that was never begun. */
export async function joined<T>(
  project: Project,
  options: ApproveOptions,
  work: (run: Run, store: Store) => Promise<T>,
): Promise<T> {
  const { kernel } = project;
  const { store, run: name } = options;
  return await withStore(storePlace(store), { create: false }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      return await work(run, opened);
    } finally {
      await run.close();
    }
  });
}
