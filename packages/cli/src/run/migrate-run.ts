import { BylawError } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import {
  storedTemplate,
  migrateWorkflow,
  migrationOf,
  migrationError,
  workflowState,
  type LoadedTemplate,
  type Migration,
} from "@bylaw/runner";
import { jsonLine, write } from "../io/output.ts";
import { count, plain } from "../io/text.ts";
import type { Authorize } from "./resume-run.ts";

/** How to migrate a run. */
export interface MigrateOptions {
  readonly loaded: LoadedTemplate;
  readonly store: Pick<Store, "get">;
  /** Whether to migrate. If not, a changed template is an error that lists the changes. */
  readonly migrate: boolean;
  /** Whether to only print what a migration would do. */
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly from: number | undefined;
  readonly authorize: Authorize;
}

/**
 * Migrates a run to the current template and prints the changes. Does nothing if the template has not changed. Resolves to true if it only
 * printed. Throws BYLAW_TEMPLATE_CHANGED without `migrate`, BYLAW_TEMPLATE_NOT_MIGRATED, and BYLAW_APPROVAL_UNAUTHORIZED without a person.
 */
export async function migrated(
  run: Run,
  { loaded, store, migrate, dryRun, json, from, authorize }: MigrateOptions,
): Promise<boolean> {
  const state = run.view(workflowState);
  const { started } = state;
  if (started === null || started.definition === loaded.definition) {
    if (dryRun)
      await write(
        json
          ? jsonLine({ run: run.run, changes: [] })
          : "the template has not changed since the run began\n",
      );
    return dryRun;
  }
  const before = await storedTemplate(store, run.run, started.definition);
  const migration =
    before === undefined ? undefined : migrationOf(before, loaded.template, state, from);
  if (!migrate) throw changed(started.template, migration);
  if (before === undefined || migration === undefined)
    throw migrationError([
      "the template that the run follows is not in the store, so what changed is unknown",
    ]);
  if (dryRun) {
    const { changes, notes, faults, cursor } = migration;
    const next = loaded.template.steps[cursor]?.id ?? null;
    await write(
      json ? jsonLine({ run: run.run, changes, notes, faults, next }) : textOf(migration, next),
    );
    return true;
  }
  if (migration.faults.length > 0) throw migrationError(migration.faults);
  process.stderr.write(textOf(migration, loaded.template.steps[migration.cursor]?.id ?? null));
  const by = await authorize(`Carry ${plain(run.run)} over to the current template`);
  if (by === undefined)
    throw unauthorized(
      "Migrating a run needs a person",
      "Say who you are with `--by`, or set an operator's token",
    );
  await migrateWorkflow(run, { before, loaded, by, ...(from === undefined ? {} : { from }) });
  return false;
}

const changed = (template: string, migration: Migration | undefined): BylawError => {
  const { changes = [] } = migration ?? {};
  const what =
    changes.length === 0
      ? ""
      : `; ${count(changes.length, "change")}: ${changes.slice(0, 10).join("; ")}${changes.length > 10 ? "; …" : ""}`;
  return new BylawError({
    code: "BYLAW_TEMPLATE_CHANGED",
    message: `The template \`${plain(template)}\` changed since the run began${plain(what)}`,
    fix: "Restore the old template, carry the run over with `--migrate`, or start another run",
  });
};

const textOf = ({ changes, notes, faults }: Migration, next: string | null): string =>
  [
    ...changes.map((line) => `changed: ${line}`),
    ...notes.map((line) => `note: ${line}`),
    ...faults.map((line) => `cannot: ${line}`),
    ...(faults.length > 0
      ? []
      : [next === null ? "continues after the last step" : `continues at ${next}`]),
  ]
    .map((line) => `${plain(line)}\n`)
    .join("");
