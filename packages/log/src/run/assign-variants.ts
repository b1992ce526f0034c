import type { JsonObject, Subject } from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import {
  EXPERIMENT_ASSIGNED,
  variantOf,
  type Experiment,
  type Variant,
} from "../state/experiment.ts";
import { ATTEMPTS, type Journal } from "./journal-contract.ts";

/**
 * Records which version of each experiment decides about the task of a subject, or about the run if it names none, unless the log says so
 * already. It is drawn at random, so nobody can choose it by a name. Throws what the journal throws.
 */
export async function assignVariants(
  journal: Journal,
  experiments: readonly Experiment[],
  { hook, task }: Pick<Subject, "hook" | "task">,
): Promise<void> {
  if (hook !== "beforeToolCall" && hook !== "onTransition") return;
  for (const experiment of experiments) await assignVariant(journal, experiment, task);
}

async function assignVariant(
  journal: Journal,
  experiment: Experiment,
  task: string | undefined,
): Promise<void> {
  const { name, share, digests } = experiment.experiment;
  for (let attempts = 1; ; attempts += 1) {
    const before = journal.state;
    if (variantOf(before.view, experiment, task) !== undefined) return;
    const details: JsonObject = { experiment: name, variant: drawn(share), share, digests };
    const draft = journal.draft(EXPERIMENT_ASSIGNED, { task }, details);
    try {
      const { written } = await journal.append([draft], {
        before,
        outdated: ({ view }) => variantOf(view, experiment, task) !== undefined,
      });
      return await written;
    } catch (error) {
      if (!(error instanceof StoreConflict) || attempts === ATTEMPTS) throw error;
      await journal.catchUp();
    }
  }
}

function drawn(share: number): Variant {
  const [number = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32 < share ? "b" : "a";
}
