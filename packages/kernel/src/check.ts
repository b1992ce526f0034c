import type { z } from "zod";
import { checkArgument } from "./check-argument.ts";
import { describeIssues } from "./issues.ts";
import type { Plugin } from "./plugin.ts";
import type { View } from "./projection.ts";
import type { Behavior, Response, Subject, ToolCall, Transition } from "./subject.ts";
import { deny, type Answer } from "./verdict.ts";

export type Names = string | readonly string[];

export interface CheckCommon<S extends Subject, Data> {
  /** kebab-case, named for what it stops. */
  readonly name: string;
  readonly version?: string;
  /** Answers at once, with deny, ask_user or nothing. Pure. */
  readonly check: (data: Data, subject: S, view: View) => Answer;
}

/** A check of tool calls; `args` parses the arguments, and what it refuses is denied. */
export interface ToolCallCheck<Schema extends z.ZodType> extends CheckCommon<
  ToolCall,
  z.output<Schema>
> {
  readonly hook: "beforeToolCall";
  readonly when?: { readonly tool?: Names; readonly server?: Names };
  readonly args: Schema;
}

/** A check of transitions. `artifact` parses the artifact that `when.artifact` names, else every artifact that fits. */
export interface TransitionCheck<Schema extends z.ZodType> extends CheckCommon<
  Transition,
  z.output<Schema>
> {
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

/** Defines a check: a plugin with one tap and no options. It can tighten, never grant. */
export function defineCheck<Schema extends z.ZodType>(
  check: ToolCallCheck<Schema> | TransitionCheck<Schema> | BehaviorCheck | ResponseCheck,
): Plugin {
  const { name, version = "0.0.0" } = checkArgument("defineCheck", "a check", check, {
    code: "BYLAW_PLUGIN_INVALID",
  });
  const apply: Plugin["definition"]["apply"] = ({ hooks }) => {
    if (check.hook === "beforeToolCall")
      hooks.beforeToolCall.tap(name, (call, view) => judgeCall(check, call, view));
    else if (check.hook === "onTransition")
      hooks.onTransition.tap(name, (move, view) => judgeTransition(check, move, view));
    else if (check.hook === "onEnforcement")
      hooks.onEnforcement.tap(name, (said, view) => check.check(said, said, view));
    else {
      const { check: judge, when } = check;
      hooks.onBehavior.tap(name, (act, view) =>
        matches(when?.action, act.action) ? judge(act, act, view) : undefined,
      );
    }
  };
  const definition = { shared: true, rules: () => [], apply };
  return Object.freeze({
    name,
    version,
    grants: false,
    neverSoftened: false,
    codes: new Set<string>(),
    options: undefined,
    definition,
  });
}

/** Whether a name is among those of a check; left out, every name is. */
const matches = (wanted: Names | undefined, actual = ""): boolean =>
  wanted === undefined ||
  (typeof wanted === "string" ? wanted === actual : wanted.includes(actual));

function judgeCall<Schema extends z.ZodType>(
  check: ToolCallCheck<Schema>,
  call: ToolCall,
  view: View,
): Answer {
  if (!matches(check.when?.tool, call.tool) || !matches(check.when?.server, call.server))
    return undefined;
  const parsed = check.args.safeParse(call.args);
  return parsed.success
    ? check.check(parsed.data, call, view)
    : misfit(`arguments of \`${call.tool}\``, parsed.error);
}

function judgeTransition<Schema extends z.ZodType>(
  check: TransitionCheck<Schema>,
  move: Transition,
  view: View,
): Answer {
  const { from, to, artifact } = check.when ?? {};
  if (!matches(from, move.from) || !matches(to, move.to)) return undefined;
  const candidates: readonly unknown[] = Object.entries(move.artifacts).flatMap(([type, item]) =>
    artifact === undefined || artifact === type ? [item] : [],
  );
  const parsed = candidates.map((candidate) => check.artifact.safeParse(candidate));
  const fitting = parsed.filter((result) => result.success);
  const [misfitting] = parsed.filter((result) => !result.success);
  if (fitting.length === 0)
    return misfit(
      artifact === undefined ? "artifact" : `artifact \`${artifact}\``,
      misfitting?.error,
    );
  return fitting.flatMap(({ data }) => check.check(data, move, view) ?? []);
}

const misfit = (what: string, error: z.ZodError | undefined): Answer =>
  deny(
    error === undefined
      ? `The check needs an ${what}, and none was given`
      : `The check cannot read the ${what}: ${describeIssues(error)}`,
  );
