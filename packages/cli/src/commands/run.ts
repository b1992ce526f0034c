import { join, resolve } from "node:path";
import { BylawError, omitUndefined } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import {
  loadTemplate,
  findEnqueuedRun,
  planOf,
  runWorkflow,
  selectionOf,
  templateFile,
  templateRunFaults,
  type LoadedTemplate,
  type Selection,
  type Template,
  type WorkflowEnd,
} from "@bylaw/runner";
import { didYouMean, quote, quoteAll } from "@bylaw/wording";
import { takeToken } from "../approve/authority.ts";
import { usageError } from "../io/report-error.ts";
import { storePlace, withStore, type StorePlace } from "../log/open-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { plain } from "../io/text.ts";
import { driveHere } from "../run/drive-run.ts";
import { kernelOf } from "../run/run-kernel.ts";
import { migrated } from "../run/migrate-run.ts";
import {
  CONTROL_FILE,
  RUN_OPTIONS,
  checkOptions,
  onInterrupt,
  type RunOptions,
} from "../run/run-options.ts";
import { resumeCommand } from "../run/resume-command.ts";
import { authorizerOf, resumeAs } from "../run/resume-run.ts";
import { prepareWorkflow, type WorkParts } from "../run/prepare-workflow.ts";
import { makeStoreFolder } from "../run/store-folder.ts";
import { placesHere, planText, warn } from "../run/template-text.ts";
import type { CommandSpec } from "../command-line/command.ts";

export const command: CommandSpec = {
  arguments: {
    template: [
      "a file, a name from `bylaw template list`, or `claude-code`; without it a worker takes all templates",
    ],
    words: ["behind `--`, the options and the prompt of that coding agent"],
  },
  options: RUN_OPTIONS,
  help: `
Exit code: 0 completed, 1 held (a step failed, a request was rejected, a control file is broken) or interrupted,
2 usage error or a template with an error, 3 paused at a checkpoint, 4 stopped by a step.

Examples:
  $ bylaw run release.yaml
  $ bylaw run release --run release-42 --data .bylaw
  $ bylaw run release --run release-42 --resume --by ada
  $ bylaw run release --run release-42 --resume --migrate --dry-run
  $ bylaw run release --driver embedded
  $ bylaw run claude-code -- --model opus

On many machines: run \`bylaw run --worker --store postgres://…\` on each, and start runs with --driver and the same store.`,
  run: async (template: string | undefined, words: readonly string[], options: RunOptions) => {
    const { runIfHost } = await import("./run-host.ts");
    if (await runIfHost(template, words, options.config)) return;
    if (options.worker === true)
      return (await import("./run-worker.ts")).runWorker(template, options);
    if (template !== undefined) return runTemplate(template, options);
    throw usageError("`<template>` is missing: `bylaw run <template>`", "See `bylaw run --help`");
  },
};

const EXITS: Readonly<Record<WorkflowEnd["outcome"], number>> = {
  completed: 0,
  held: 1,
  paused: 3,
  stopped: 4,
};

/** Runs a workflow. The exit code says how it ended. */
async function runTemplate(wanted: string, options: RunOptions): Promise<void> {
  const { agents, compat, json = false, dryRun = false, migrate = false } = options;
  const token = takeToken();
  checkOptions(options);
  const loaded = await loadTemplate(
    await templateFile(wanted, placesHere()),
    omitUndefined({ agents: agents?.map((path) => resolve(path)), compat }),
  );
  warn(loaded.warnings);
  const { template, warnings } = loaded;
  const from = indexOf(template, options.from);
  if (!dryRun || migrate) return runLoaded(wanted, loaded, options, { from, token });
  await write(
    json
      ? jsonLine({ template: template.name, steps: planOf(template), warnings })
      : planText(template),
  );
  conclude(0);
}

async function runLoaded(
  wanted: string,
  loaded: LoadedTemplate,
  options: RunOptions,
  { from, token }: { readonly from: number | undefined; readonly token: string | undefined },
): Promise<void> {
  const { template } = loaded;
  const { store, data, driver, run: named } = options;
  const { json = false, dryRun = false, resume = false, migrate = false } = options;
  checkRunnable(template, options);
  const selection = selectionFor(template, options);
  const place = storePlace(store ?? `sqlite:${join(data ?? ".bylaw", "store.db")}`);
  if (!resume) makeStoreFolder(place);
  const { kernel, file, plugins } = await kernelOf(template, options.config);
  await withStore(place, { create: !resume }, async (opened) => {
    const name = await nameOf(opened, template, named, resume);
    // Looking at a run must not take it away from the worker that drives it.
    const driven =
      driver !== undefined || (resume && (await findEnqueuedRun(opened, name)) !== undefined);
    const run = await openRun(kernel, { run: name, store: opened, join: driven || dryRun });
    try {
      if (resume) {
        const authorize = authorizerOf(options, file, token);
        if (await migrated(run, { loaded, store: opened, migrate, dryRun, json, from, authorize }))
          return conclude(0);
        await resumeAs(run, loaded, { from, migrate, authorize, plugins });
      }
      const parts = { kernel, plugins, selection, from, place };
      const end = driven
        ? await driveHere({ ...parts, run, loaded, store: opened, options })
        : await execute(run, loaded, options, parts);
      const code = end === undefined ? 1 : EXITS[end.outcome];
      const outcome = end ?? { outcome: "interrupted", step: null, why: null, reason: null };
      await write(
        json
          ? jsonLine({ run: name, template: template.name, ...outcome, exit_code: code })
          : `${endText(
              name,
              outcome,
              resumeCommand({ name, template: wanted, place }, options, outcome.outcome),
            )}\n`,
      );
      conclude(code);
    } finally {
      await run.close();
    }
  });
}

function checkRunnable(template: Template, { resume, run }: RunOptions): void {
  if (resume === true && run !== undefined && process.env["BYLAW_RUN"] === run)
    throw usageError("A step cannot resume the run it belongs to");
  const wrong = templateRunFaults(template);
  if (wrong.length > 0)
    throw new BylawError({
      code: "BYLAW_TEMPLATE_UNRUNNABLE",
      message: `The template does not say what these run: ${quoteAll(wrong, 5)}`,
      fix: "Give each agent a command in a file: `--agents agents.yaml`",
    });
}

// A resumed run keeps the recorded choices.
function selectionFor(
  template: Template,
  { track, choose, resume = false }: RunOptions,
): Selection | undefined {
  if (!resume) return selectionOf(template, omitUndefined({ track, chosen: choose }));
  if (track !== undefined || choose !== undefined)
    throw usageError(
      "`--track` and `--choose` are for new runs; a resumed run keeps its own",
      "Remove them",
    );
  return undefined;
}

// Undefined if a signal ended the run. It can be resumed.
async function execute(
  run: Run,
  loaded: LoadedTemplate,
  options: RunOptions,
  {
    kernel,
    plugins,
    selection,
    from,
    place,
  }: Pick<WorkParts, "kernel" | "plugins" | "selection" | "from"> & { readonly place: StorePlace },
): Promise<WorkflowEnd | undefined> {
  const { json = false, controlFile = CONTROL_FILE } = options;
  const interrupt = new AbortController();
  const ignore = onInterrupt(() => interrupt.abort(INTERRUPTED));
  const signal = interrupt.signal;
  const work = await prepareWorkflow({
    run,
    kernel,
    loaded,
    plugins,
    selection,
    from,
    workspace: process.cwd(),
    place: place.shown,
    controlFile,
    signal,
    json,
  });
  try {
    return await runWorkflow(work.options);
  } catch (error) {
    if (error === INTERRUPTED) return undefined;
    throw error;
  } finally {
    ignore();
    await work.close();
  }
}

const INTERRUPTED = new Error("interrupted");

function indexOf({ steps }: Template, from: string | undefined): number | undefined {
  if (from === undefined) return undefined;
  const index = steps.findIndex(({ id }) => id === from);
  if (index < 0)
    throw usageError(
      `No step ${quote(from)} in the template`,
      didYouMean(
        from,
        steps.map(({ id }) => id),
      ) ??
        `Use ${quoteAll(
          steps.map(({ id }) => id),
          20,
        )}`,
    );
  return index;
}

async function nameOf(
  store: Store,
  { name }: Template,
  named: string | undefined,
  resume: boolean,
): Promise<string> {
  const has = async (run: string): Promise<boolean> => (await store.events(run, 0, 1)).length > 0;
  if (named !== undefined) {
    const there = await has(named);
    if (resume && !there) throw missing(named);
    if (!resume && there) throw taken(named);
    return named;
  }
  let last = name;
  for (let count = 2; await has(last); count += 1) {
    const other = `${name}-${count}`;
    if (resume && !(await has(other))) return last;
    last = other;
  }
  if (resume) throw missing(name);
  return last;
}

const missing = (run: string): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_MISSING",
    message: `No run named ${quote(run)} in this store`,
    fix: "Start it without `--resume`, or list the runs with `bylaw log runs`",
  });

const taken = (run: string): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_EXISTS",
    message: `A run named ${quote(run)} already exists`,
    fix: "Continue it with `--resume`, or choose another name",
  });

function endText(
  name: string,
  { outcome, step, reason }: Omit<WorkflowEnd, "outcome"> & { readonly outcome: string },
  advice: string,
): string {
  const where = step === null ? "" : ` at ${step}`;
  const why = reason === null ? "" : `: ${reason}`;
  const goesOn = ["paused", "held", "interrupted"].includes(outcome);
  return plain(`${name}: ${outcome}${where}${why}`) + (goesOn ? `\n${plain(advice)}` : "");
}
