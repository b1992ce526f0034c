import { join, resolve } from "node:path";
import { BylawError, present, type Store } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import {
  loadTemplate,
  offeredIn,
  planOf,
  runWorkflow,
  selectionOf,
  templateFile,
  unrunnable,
  type LoadedTemplate,
  type Selection,
  type Template,
  type WorkflowEnd,
} from "@bylaw/runner";
import { takeToken } from "../approve/authority.ts";
import { usageError } from "../fault.ts";
import { storePlace, withStore } from "../log/store.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { plain } from "../text.ts";
import { driveHere } from "./run-driven.ts";
import { kernelOf } from "./run-kernel.ts";
import { migrated } from "./run-migrate.ts";
import { SIGNALS, type RunOptions } from "./run-options.ts";
import { personOf, resumeAs } from "./run-resume.ts";
import { workOf, type WorkParts } from "./run-work.ts";
import { makeStoreFolder } from "./store-folder.ts";
import { placesHere, planText, warn } from "./template-text.ts";

const EXITS: Readonly<Record<WorkflowEnd["outcome"], number>> = { completed: 0, held: 1, paused: 3, stopped: 4 };

/** Runs a workflow, and says by the exit code what came of it. */
export async function runTemplate(wanted: string, options: RunOptions): Promise<void> {
  const { store, data, agents, compat, json = false, dryRun = false, resume = false, migrate = false, run: named, driver } = options;
  const token = takeToken();
  if (store !== undefined && data !== undefined)
    throw usageError("Unexpected `--data` beside `--store`, expected one of both", "remove one");
  if (migrate && !resume) throw usageError("Unexpected `--migrate` without `--resume`, expected both");
  const loaded = await loadTemplate(await templateFile(wanted, placesHere()), {
    ...(agents === undefined ? {} : { agents: resolve(agents) }),
    ...(compat === undefined ? {} : { compat }),
  });
  warn(loaded.warnings);
  const { template } = loaded;
  const from = indexOf(template, options.from);
  if (dryRun && !migrate) {
    await write(json ? jsonLine({ template: template.name, steps: planOf(template), warnings: loaded.warnings }) : planText(template));
    return conclude(0);
  }
  if (resume && named !== undefined && process.env["BYLAW_RUN"] === named)
    throw usageError("Unexpected `--resume` from a step of the same run, expected a person outside of it");
  const wrong = unrunnable(template);
  if (wrong.length > 0)
    throw new BylawError({
      code: "BYLAW_TEMPLATE_UNRUNNABLE",
      message: `Unexpected template of which nobody says what it runs: ${wrong.slice(0, 5).join(", ")}${wrong.length > 5 ? ", …" : ""}; expected a command for each`,
      fix: "name a file with the commands of the agents: --agents agents.yaml",
    });
  const selection = selectionFor(template, options);
  const place = storePlace(store ?? `sqlite:${join(data ?? ".bylaw", "store.db")}`);
  if (!resume) makeStoreFolder(place);
  const { kernel, file, plugins } = await kernelOf(template, options.config);
  await withStore(place, { create: !resume }, async (opened) => {
    const name = await nameOf(opened, template, named, resume);
    // Whoever drives it now must not lose it to who only looks.
    const driven = driver !== undefined || (resume && (await offeredIn(opened, name)) !== undefined);
    const run = await openRun(kernel, { run: name, store: opened, join: driven || dryRun });
    try {
      if (resume) {
        const person = personOf(options, file, token);
        if (await migrated(run, { loaded, store: opened, migrate, dryRun, json, from, person })) return conclude(0);
        await resumeAs(run, loaded, { from, migrate, person, plugins });
      }
      const parts = { kernel, plugins, selection, from };
      const end = driven
        ? await driveHere({ ...parts, run, loaded, place, store: opened, options })
        : await execute(run, loaded, options, parts);
      const code = end === undefined ? 1 : EXITS[end.outcome];
      const said = end ?? { outcome: "interrupted", step: null, why: null, reason: null };
      await write(json ? jsonLine({ run: name, template: template.name, ...said, exit_code: code }) : `${endText(name, wanted, said)}\n`);
      conclude(code);
    } finally {
      await run.close();
    }
  });
}

// The way of a run that goes on is on record.
function selectionFor(template: Template, { track, choose, resume = false }: RunOptions): Selection | undefined {
  if (!resume) return selectionOf(template, present({ track, chosen: choose }));
  if (track !== undefined || choose !== undefined)
    throw usageError("Unexpected `--track` or `--choose` beside `--resume`, expected the way that the run took", "leave them out");
  return undefined;
}

// `undefined`: a signal ended it, and it can be resumed.
async function execute(
  run: Run,
  loaded: LoadedTemplate,
  options: RunOptions,
  { kernel, plugins, selection, from }: Pick<WorkParts, "kernel" | "plugins" | "selection" | "from">,
): Promise<WorkflowEnd | undefined> {
  const { json = false, controlFile = ".bylaw/memory/behavior.json" } = options;
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort(INTERRUPTED);
  for (const signal of SIGNALS) process.once(signal, stop);
  const signal = interrupt.signal;
  const work = await workOf({ run, kernel, loaded, plugins, selection, from, workspace: process.cwd(), controlFile, signal, json });
  try {
    return await runWorkflow(work.options);
  } catch (error) {
    if (error === INTERRUPTED) return undefined;
    throw error;
  } finally {
    for (const name of SIGNALS) process.removeListener(name, stop);
    await work.close();
  }
}

const INTERRUPTED = new Error("interrupted");

function indexOf({ steps }: Template, from: string | undefined): number | undefined {
  if (from === undefined) return undefined;
  const index = steps.findIndex(({ id }) => id === from);
  if (index < 0)
    throw usageError(
      `Unexpected step \`${from}\` of \`--from\`, expected one of ${steps
        .slice(0, 20)
        .map(({ id }) => id)
        .join(", ")}`,
    );
  return index;
}

async function nameOf(store: Store, { name }: Template, named: string | undefined, resume: boolean): Promise<string> {
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
    message: `Unexpected run \`${run.slice(0, 80)}\` that was never begun, expected one of the store`,
    fix: "leave out --resume to begin it; `bylaw log runs` lists those that there are",
  });

const taken = (run: string): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_EXISTS",
    message: `Unexpected run \`${run.slice(0, 80)}\` that has begun, expected a new one`,
    fix: "go on with it: --resume; or choose another name",
  });

function endText(
  run: string,
  template: string,
  { outcome, step, reason }: Omit<WorkflowEnd, "outcome"> & { readonly outcome: string },
): string {
  const where = step === null ? "" : ` at ${step}`;
  const why = reason === null ? "" : `: ${reason}`;
  const advice = ["paused", "held", "interrupted"].includes(outcome) ? `\n  go on: bylaw run ${template} --run ${run} --resume` : "";
  return plain(`${run}: ${outcome}${where}${why}`) + (advice === "" ? "" : `\n${plain(advice.slice(1))}`);
}
