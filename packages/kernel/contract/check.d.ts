import type { z } from "zod";
import type { View } from "./projection.d.ts";
import type { Behavior, Response, Subject, ToolCall, Transition } from "./subject.d.ts";
import type { Answer } from "./verdict.d.ts";

export type Names = string | readonly string[];

export interface CheckCommon<S extends Subject, Data> {
  /** kebab-case, named for what it stops. */
  readonly name: string;
  readonly version?: string;
  /** Answers at once, with deny, ask_user or nothing. Pure. */
  readonly check: (data: Data, subject: S, view: View) => Answer;
}

/** A check of tool calls; `args` parses the arguments, and what it refuses is denied. */
export interface ToolCallCheck<Schema extends z.ZodType> extends CheckCommon<ToolCall, z.output<Schema>> {
  readonly hook: "beforeToolCall";
  readonly when?: { readonly tool?: Names; readonly server?: Names };
  readonly args: Schema;
}

/** A check of transitions. `artifact` parses the artifact that `when.artifact` names, else every artifact that fits. */
export interface TransitionCheck<Schema extends z.ZodType> extends CheckCommon<Transition, z.output<Schema>> {
  readonly hook: "onTransition";
  readonly when?: { readonly from?: Names; readonly to?: Names; readonly artifact?: string };
  readonly artifact: Schema;
}

/** A check of requests to steer a workflow. */
export interface BehaviorCheck extends CheckCommon<Behavior, Behavior> {
  readonly hook: "onBehavior";
  readonly when?: { readonly action?: Names };
}

/** A check of complete responses. */
export interface ResponseCheck extends CheckCommon<Response, Response> {
  readonly hook: "onEnforcement";
}
