import { isJsonObject, omitUndefined } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { DocumentWrite, Store, TaskWrite } from "@bylaw/store";
import type { LoadedTemplate } from "../template/load.ts";
import type { Selection } from "../template/select.ts";
import { draft } from "../workflow/record.ts";
import { beginningOf, templateChanged } from "../workflow/run-workflow.ts";
import { workflowState } from "../workflow/state/projection.ts";

const KIND = "bylaw/workflow";

/** What workers know of a run before they read its log. */
export interface EnqueuedRun {
  /** The digest of its template. */
  readonly definition: string;
  readonly ended: boolean;
}

/** The task whose claim gives the right to drive a run. */
export const leaseOf = (run: string): string => `bylaw/workflow:${run}`;

/** The document that is written with the first and the last event of an offered run. */
export const queueDocument = (run: string, enqueued: EnqueuedRun): DocumentWrite => ({
  kind: KIND,
  id: run,
  value: JSON.stringify(enqueued),
});

/** How an offered workflow begins. */
export interface EnqueueOptions {
  /** The index of its first step. Default: 0. */
  readonly from?: number | undefined;
  /** Its path through the template. Default: the default of the template. */
  readonly selection?: Selection | undefined;
}

/**
 * Begins a workflow in a run, unless it has begun, and lets workers take it from then on. It may be
 * called again, and must be after the run was migrated to another template or was moved on after
 * its end. Throws BYLAW_TEMPLATE_CHANGED if the run has another template, and what the run throws.
 */
export async function enqueueWorkflow(
  store: Pick<Store, "get">,
  run: Run,
  { template, definition }: Pick<LoadedTemplate, "template" | "definition">,
  { from = 0, selection }: EnqueueOptions = {},
): Promise<void> {
  const { started, ended } = run.view(workflowState);
  if (started !== null && started.definition !== definition)
    throw templateChanged(started.template);
  const before = await findEnqueuedRun(store, run.run);
  const isSaid = (enqueued: EnqueuedRun | undefined): boolean =>
    enqueued?.definition === definition && (!enqueued.ended || ended !== null);
  if (isSaid(before)) return;
  const offer = {
    ...queueDocument(run.run, { definition, ended: false }),
    ...(before === undefined ? { if_version: 0 } : {}),
  };
  const task: TaskWrite = {
    id: leaseOf(run.run),
    fence: 0,
    set: { state: "available", queue: leaseOf(run.run) },
  };
  const beginning =
    started === null
      ? beginningOf(run.run, { template, definition, from, ...omitUndefined({ selection }) })
      : undefined;
  try {
    await run.record(
      [...(beginning === undefined ? [] : [beginning.event]), draft("workflow_offered", null, {})],
      {
        documents: beginning === undefined ? [offer] : [beginning.document, offer],
        ...(before === undefined ? { task } : {}),
      },
    );
  } catch (error) {
    // Another process has offered it in the meantime.
    if (!isSaid(await findEnqueuedRun(store, run.run))) throw error;
  }
}

/** What is known of a run that workers may take. `undefined` for any other run. */
export async function findEnqueuedRun(
  store: Pick<Store, "get">,
  run: string,
): Promise<EnqueuedRun | undefined> {
  const found = await store.get(KIND, run);
  if (found === undefined) return undefined;
  const value: unknown = JSON.parse(found.value);
  if (!isJsonObject(value)) return undefined;
  const { definition, ended } = value;
  return typeof definition === "string" && typeof ended === "boolean"
    ? { definition, ended }
    : undefined;
}
