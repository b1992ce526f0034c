import type { JsonObject } from "@bylaw/kernel";
import { treeGet } from "@bylaw/log";
import { radiumCondition } from "../compat/condition.ts";
import { holds, readCondition, type Condition, type StepFacts } from "../template/condition.ts";
import { isSelected } from "../template/select.ts";
import type { Step, Template } from "../template/template.ts";
import type { StepResult, WorkflowState } from "./state/types.ts";
import { resultOf } from "./state/projection.ts";

/** Why a step does not run. */
export type SkipReason =
  | "loop"
  | "when"
  | "skip_if"
  | "depends_on"
  | "once"
  | "completed"
  | "track";

const conditions = new Map<string, Condition>();

function conditionOf(text: string): Condition {
  const known = conditions.get(text);
  if (known !== undefined) return known;
  const read = readCondition(text);
  // A template with such a condition does not load.
  if (typeof read === "string") throw new TypeError(read);
  conditions.set(text, read);
  return read;
}

/** How conditions and `once` are read. */
export interface Reading {
  readonly compat: Template["compat"];
  readonly before: ReadonlySet<string>;
}

/** Why a step does not run in this state of the workflow. `undefined` if it runs. Pure. */
export function skipReason(
  step: Step,
  index: number,
  state: WorkflowState,
  { compat, before }: Reading,
): SkipReason | undefined {
  const { id, agent, once, repeatable, depends_on, skip_if, when } = step;
  const facts = (step: string): StepFacts => factsOf(treeGet(state.results, step));
  const done = resultOf(state, id)?.status === "completed";
  if (state.started !== null && !isSelected(step, state.started)) return "track";
  // CodeMachine skips agents, with all of their steps.
  const named = compat === "codemachine" ? agent : id;
  if (named !== null && state.scopes.some(({ skip }) => skip.includes(named))) return "loop";
  if (once && (compat === "codemachine" ? before.has(id) : done)) return "once";
  if (done && !repeatable && index < state.redo) return "completed";
  if (!depends_on.every((needed) => facts(needed).success)) return "depends_on";
  const isTrue = (text: string): boolean =>
    compat === "radium"
      ? radiumCondition(text, radiumFacts(text, facts))
      : holds(conditionOf(text), facts);
  if (skip_if !== null && isTrue(skip_if)) return "skip_if";
  return when !== null && !isTrue(when) ? "when" : undefined;
}

// What Radium knew of the step in a condition.
function radiumFacts(condition: string, facts: (step: string) => StepFacts): JsonObject {
  const id = condition.trim().split(".")[0] ?? "";
  const { success, skipped, output } = facts(id);
  return skipped ? {} : { [id]: { success, error: success ? null : "failed", output } };
}

const factsOf = (result: StepResult | undefined): StepFacts => ({
  success: result?.status === "completed",
  skipped: result === undefined || result.status === "skipped",
  exit_code: result?.exit_code ?? null,
  output: result?.output ?? null,
});
