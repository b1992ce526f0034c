import { BylawError } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import type { LoadedTemplate } from "../template/load.ts";
import type { Template } from "../template/template.ts";
import { keepTemplate } from "./stored-template.ts";
import { draft } from "./record.ts";
import { refuseOwn, returnsOf } from "./release.ts";
import { NO_OWNER, type WorkflowState } from "./state/types.ts";
import { doneSteps, resultsWith } from "./state/changes.ts";
import { resultOf, workflowState } from "./state/projection.ts";
import { templateChanges } from "./template-changes.ts";

/** Whether and how a run can be migrated to another template. */
export interface Migration {
  /** The changes, one line each. */
  readonly changes: readonly string[];
  /** What a person should know before the migration. */
  readonly notes: readonly string[];
  /** Why the migration is impossible. Empty if it is possible. */
  readonly faults: readonly string[];
  /** Where the workflow continues: the index of a step, or the number of steps for the end. */
  readonly cursor: number;
  readonly redo: number;
  readonly units: readonly {
    readonly step: string;
    readonly index: number;
    readonly next: number;
  }[];
  readonly scopes: readonly { readonly owner: number; readonly skip: readonly string[] }[];
}

/**
 * Maps the state of a workflow to another template, step by step by their ids. A step without a place there is a fault;
 * nothing is guessed. `from`: the index of the step from which a person wants to continue. Pure.
 */
export function migrationOf(
  before: Template,
  now: Template,
  state: WorkflowState,
  from?: number,
): Migration {
  return new Migrator(before, now, state, from).migration();
}

class Migrator {
  readonly #before: Template;
  readonly #now: Template;
  readonly #state: WorkflowState;
  readonly #from: number | undefined;
  /** The new index of each step. */
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #faults: string[] = [];
  readonly #notes: string[] = [];

  constructor(before: Template, now: Template, state: WorkflowState, from: number | undefined) {
    this.#before = before;
    this.#now = now;
    this.#state = state;
    this.#from = from;
    this.#indexes = new Map(now.steps.map(({ id }, index) => [id, index]));
  }

  migration(): Migration {
    const units = this.#units();
    if (this.#state.ended !== null && this.#from === undefined)
      this.#faults.push("the workflow has ended: name the step to continue from with --from");
    const cursor = this.#from ?? this.#cursor(units);
    const redo = this.#redo(cursor);
    const scopes = this.#scopes();
    const [faults, notes] = [this.#faults, this.#notes];
    const changes = templateChanges(this.#before, this.#now);
    return { changes, notes, faults, cursor, redo, units, scopes };
  }

  /** The steps that are running, unless a person names a step to continue from. */
  get #open(): WorkflowState["units"] {
    return this.#from === undefined ? this.#state.units : [];
  }

  #isOpen(id: string): boolean {
    return this.#open.some(({ step }) => step === id);
  }

  #units(): Migration["units"] {
    const { steps, agents } = this.#now;
    const groupOf = new Map(this.#before.steps.map(({ id, parallel }) => [id, parallel]));
    const units = this.#open.flatMap(({ step, frames, settled }) => {
      const index = this.#indexes.get(step);
      const fresh = index === undefined ? undefined : steps[index];
      if (index === undefined || fresh === undefined) {
        this.#faults.push(`step ${quote(step)} is running and was removed`);
        return [];
      }
      if (groupOf.get(step) !== fresh.parallel)
        this.#faults.push(`step ${quote(step)} is running in another group than before`);
      for (const { agent } of settled ? [] : frames)
        if (agent !== null && !Object.hasOwn(agents, agent))
          this.#faults.push(`agent ${quote(agent)} is at work and was removed`);
      return [{ step, index, next: groupEnd(steps, index) }];
    });
    // Steps of a group begin together, so a step that joins later would never begin.
    const groups = new Set(units.flatMap(({ index }) => steps[index]?.parallel ?? []));
    for (const { id, parallel } of steps)
      if (
        parallel !== null &&
        groups.has(parallel) &&
        groupOf.get(id) !== parallel &&
        !this.#isOpen(id)
      )
        this.#faults.push(`step ${quote(id)} joins steps that are running`);
    if (new Set(units.map(({ next }) => next)).size > 1)
      this.#faults.push("the running steps are no longer in one group");
    return units;
  }

  #cursor(units: Migration["units"]): number {
    if (units.length > 0) return Math.min(...units.map(({ index }) => index));
    const { steps } = this.#before;
    const id = steps[this.#state.cursor]?.id;
    if (id !== undefined) {
      const index = this.#indexes.get(id);
      if (index === undefined)
        this.#faults.push(
          `step ${quote(id)}, where the workflow continues, was removed: name another with --from`,
        );
      return index ?? 0;
    }
    // The workflow was after its last step, so all steps that now follow that one are still to be done.
    const last = steps.at(-1)?.id;
    const index = last === undefined ? undefined : this.#indexes.get(last);
    if (index === undefined)
      this.#faults.push("the last step was removed: name the step to continue from with --from");
    return (index ?? -1) + 1;
  }

  #redo(cursor: number): number {
    const state = this.#state;
    // Only steps before the cursor are done. A step that a loop is about to repeat has the result of the previous pass.
    const dropped = this.#from === undefined ? [] : doneSteps(state);
    const stood = Math.max(state.cursor, state.redo, ...dropped.map(({ next }) => next));
    const known = this.#from === undefined ? state : { ...state, results: resultsWith(state) };
    const oldAt = new Map(this.#before.steps.map(({ id }, index) => [id, index]));
    const isBehind = (id: string): boolean =>
      resultOf(known, id) !== undefined && (oldAt.get(id) ?? Infinity) < stood;
    const rest = this.#now.steps
      .map(({ id, repeatable }, index) => ({ id, repeatable, index }))
      .filter(({ id }) => !this.#isOpen(id));
    const completed = rest.filter(
      ({ id, repeatable, index }) =>
        index >= cursor && !repeatable && resultOf(known, id)?.status === "completed",
    );
    const again = completed.filter(({ id }) => isBehind(id));
    const redo = Math.max(0, ...again.map(({ index }) => index + 1));
    for (const { id, index } of completed)
      if (index < redo && !isBehind(id))
        this.#faults.push(
          `step ${quote(id)} would be repeated, but comes before one that would not`,
        );
    for (const { id, index } of rest)
      if (index < cursor && !isBehind(id))
        this.#notes.push(
          `step ${quote(id)} comes before the point where the workflow continues, so it will not run`,
        );
    for (const { id } of again.slice(0, 20))
      this.#notes.push(`step ${quote(id)} is completed and will not run again`);
    return redo;
  }

  #scopes(): Migration["scopes"] {
    const { steps } = this.#now;
    return (this.#from === undefined ? this.#state.scopes : []).flatMap(({ owner, skip }) => {
      if (owner === NO_OWNER) return [{ owner, skip }];
      const id = this.#before.steps[owner]?.id;
      const index = id === undefined ? undefined : this.#indexes.get(id);
      if (index === undefined || steps[index]?.loop === null) {
        this.#faults.push(`the loop of step ${quote(id ?? "?")} is running and was removed`);
        return [];
      }
      return [{ owner: index, skip: skip.filter((one) => this.#indexes.has(one)) }];
    });
  }
}

/** The index of the step after the parallel group of a step. */
function groupEnd(steps: Template["steps"], index: number): number {
  const group = steps[index]?.parallel ?? null;
  let end = index + 1;
  if (group !== null) while (steps[end]?.parallel === group) end += 1;
  return end;
}

/**
 * Migrates a run to another template on behalf of a person, and records that. Throws BYLAW_TEMPLATE_NOT_MIGRATED with
 * everything that has no place there, BYLAW_WORKFLOW_BY_ITSELF, and what the run throws.
 */
export async function migrateWorkflow(
  run: Run,
  {
    before,
    loaded,
    by,
    from,
  }: {
    readonly before: Template;
    readonly loaded: LoadedTemplate;
    readonly by: string;
    readonly from?: number;
  },
): Promise<Migration> {
  const state = run.view(workflowState);
  refuseOwn(state, by);
  const migration = migrationOf(before, loaded.template, state, from);
  if (migration.faults.length > 0) throw migrationError(migration.faults);
  const { cursor, redo, units, scopes } = migration;
  const details = {
    by,
    from: state.started?.definition ?? "",
    definition: loaded.definition,
    cursor,
    redo,
    units: units.map((activeStep) => ({ ...activeStep })),
    scopes: scopes.map(({ owner, skip }) => ({ owner, skip: [...skip] })),
    moved: from !== undefined,
  };
  const left = from === undefined ? [] : returnsOf(state);
  await run.record([...left, draft("workflow_migrated", null, details)], {
    documents: [keepTemplate(run.run, loaded)],
  });
  return migration;
}

/** The error for a run that cannot be migrated. */
export const migrationError = (faults: readonly string[]): BylawError =>
  new BylawError({
    code: "BYLAW_TEMPLATE_NOT_MIGRATED",
    message: `The run cannot be migrated to this template: ${faults.slice(0, 10).join("; ")}`,
    fix: "Restore the old template, change the new one, or start another run",
  });
