import { createHash } from "node:crypto";
import { canonicalJson } from "@bylaw/kernel";
import type { Step, Template } from "../template/template.ts";
import type { WorkflowState } from "./state/types.ts";
import { resultOf } from "./state/projection.ts";

/**
 * A digest of the results of the steps that a loop repeats. The same digest twice in a row means no
 * progress. Programs count by exit code and output. If only agents are at work, whose words always
 * differ, the reason for going back counts. Pure.
 */
export function progressOf(
  { steps }: Template,
  state: WorkflowState,
  { id, loop }: Step,
  reason: string | null,
): string | undefined {
  if (loop?.stall === null || loop === null) return undefined;
  const at = steps.findIndex((step) => step.id === id);
  const own = state.units.find(({ step }) => step === id);
  const results = steps.slice(Math.max(0, at - loop.steps), at).map((step) => {
    const { status, exit_code = null, print = null } = resultOf(state, step.id) ?? {};
    return { step: step.id, status: status ?? null, exit_code, print };
  });
  // An agent's output never counts, neither during its work nor after it.
  const print = own?.frames[0]?.agent === null ? own.print : null;
  const checks = [...results, { step: id, status: null, exit_code: null, print }];
  const comparable = checks.every((check) => check.print === null) ? reason : null;
  return `sha256:${createHash("sha256")
    .update(canonicalJson({ checks, reason: comparable }))
    .digest("hex")}`;
}
