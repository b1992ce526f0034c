import { createHash } from "node:crypto";
import { canonicalJson } from "@bylaw/kernel";
import type { Step, Template } from "../template/template.ts";
import type { WorkflowState } from "./state/types.ts";
import { resultOf } from "./state/projection.ts";

/**
 * What the steps that a loop repeats have come to, as a digest: the same twice in a row is a loop
 * that gets nowhere. Programs count by how they ended and what they printed; where only agents are
 * at work, whose words are always new, by the reason for going back. Pure.
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
  // Of an agent the same is known in the middle of its work as behind it: nothing.
  const print = own?.frames[0]?.agent === null ? own.print : null;
  const checks = [...results, { step: id, status: null, exit_code: null, print }];
  const told = checks.every((check) => check.print === null) ? reason : null;
  return `sha256:${createHash("sha256")
    .update(canonicalJson({ checks, reason: told }))
    .digest("hex")}`;
}
