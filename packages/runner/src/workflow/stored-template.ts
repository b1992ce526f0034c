import { type Json, type JsonObject } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import type { DocumentWrite, Store } from "@bylaw/store";
import { completeStep } from "../template/complete.ts";
import type { Step, Template } from "../template/template.ts";

const KIND = "workflow_template";
const idOf = (run: string, definition: string): string => JSON.stringify([run, definition]);

const USUAL = completeStep({}) as unknown as JsonObject;

/** The document that keeps a template beside its run, so that later changes of the template can be described. */
export const keepTemplate = (
  run: string,
  { template, definition }: { readonly template: Template; readonly definition: string },
): DocumentWrite => ({
  kind: KIND,
  id: idOf(run, definition),
  // Defaults are left out, because most steps set few fields.
  value: JSON.stringify({
    ...template,
    steps: template.steps.map((step) =>
      Object.fromEntries(
        Object.entries(step).filter(
          ([key, value]) => JSON.stringify(value) !== JSON.stringify(USUAL[key]),
        ),
      ),
    ),
  }),
});

/**
 * The template that a run follows. `undefined` if none is kept, or not the one whose digest the log
 * has. Throws what the store throws.
 */
export async function storedTemplate(
  store: Pick<Store, "get">,
  run: string,
  definition: string,
): Promise<Template | undefined> {
  const document = await store.get(KIND, idOf(run, definition));
  if (document === undefined) return undefined;
  const kept = JSON.parse(document.value) as Template;
  const template: Template = {
    ...kept,
    steps: kept.steps.map((step): Step => ({ ...completeStep({}), ...step })),
  };
  // Only the log is trusted, so the digest of the document must be the one in the log.
  return digestOf(template as unknown as Json) === definition ? template : undefined;
}
