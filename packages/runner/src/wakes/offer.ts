import { isJsonObject, type DocumentWrite, type JsonObject, type Store, type TaskWrite } from "@bylaw/kernel";
import type { Recordable, Run } from "@bylaw/log";
import type { LoadedTemplate } from "../template/load.ts";
import { templateChanged } from "../workflow/run-workflow.ts";
import { workflowState } from "../workflow/state.ts";

const KIND = "bylaw/workflow";

/** What workers know of a run before they read its log. */
export interface Offered {
  /** The digest of its template. */
  readonly definition: string;
  readonly ended: boolean;
}

/** The task whose claim is the right to drive a run. */
export const leaseOf = (run: string): string => `bylaw/workflow:${run}`;

/** What a document says that goes with the first and the last event of a run that is offered. */
export const offerDocument = (run: string, offered: Offered): DocumentWrite => ({ kind: KIND, id: run, value: JSON.stringify(offered) });

/**
 * Begins a workflow in a run, unless it has begun, and lets workers take it from here on. May be said twice. `from`: the index of its
 * first step. Throws BYLAW_TEMPLATE_CHANGED where the run is one of another template, and what the run throws.
 */
export async function offerWorkflow(
  store: Store,
  run: Run,
  { template, definition }: Pick<LoadedTemplate, "template" | "definition">,
  { from = 0 }: { readonly from?: number } = {},
): Promise<void> {
  const { started } = run.view(workflowState);
  if (started !== null && started.definition !== definition) throw templateChanged(started.template);
  if ((await offeredIn(store, run.run)) !== undefined) return;
  const begin = draft("workflow_started", { template: template.name, definition, steps: template.steps.length, from });
  const task: TaskWrite = { id: leaseOf(run.run), fence: 0, set: { state: "available", queue: leaseOf(run.run) } };
  try {
    const documents = [{ ...offerDocument(run.run, { definition, ended: false }), if_version: 0 }];
    await run.record([...(started === null ? [begin] : []), draft("workflow_offered", {})], { task, documents });
  } catch (error) {
    // Somebody else has offered it meanwhile.
    if ((await offeredIn(store, run.run)) === undefined) throw error;
  }
}

/** What is known of a run that workers may take; `undefined` for every other. */
export async function offeredIn(store: Pick<Store, "get">, run: string): Promise<Offered | undefined> {
  const found = await store.get(KIND, run);
  if (found === undefined) return undefined;
  const value: unknown = JSON.parse(found.value);
  if (!isJsonObject(value)) return undefined;
  const { definition, ended } = value;
  return typeof definition === "string" && typeof ended === "boolean" ? { definition, ended } : undefined;
}

const draft = (event_type: string, details: JsonObject): Recordable => ({ event_type, agent_id: null, task_id: null, details });
