import type { z } from "zod";
import type { Json } from "./json.ts";
import { issuesOf, type Plugin } from "./plugin.ts";
import type { View } from "./projection.ts";
import type { Behavior, Response, Subject, ToolCall, Transition } from "./subject.ts";
import { deny, type Answer, type Verdict } from "./verdict.ts";

type Names = string | readonly string[];

interface CheckCommon<S extends Subject, Data> {
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

/** Defines a check: a plugin with one tap and no options. It can tighten, never grant. */
export function defineCheck<Schema extends z.ZodType>(
  check: ToolCallCheck<Schema> | TransitionCheck<Schema> | BehaviorCheck | ResponseCheck,
): Plugin {
  return Object.freeze<Plugin>({
    name: check.name,
    version: check.version ?? "0.0.0",
    grants: false,
    hard: false,
    codes: new Set<string>(),
    options: undefined,
    definition: {
      pooled: true,
      rules: () => [],
      apply({ hooks }) {
        const { name } = check;
        if (check.hook === "beforeToolCall")
          hooks.beforeToolCall.tap(name, (call, view) => judgeCall(check, call, view));
        else if (check.hook === "onTransition")
          hooks.onTransition.tap(name, (subject, view) => judgeTransition(check, subject, view));
        else if (check.hook === "onBehavior") {
          hooks.onBehavior.tap(name, (subject, view) =>
            named(check.when?.action, subject.action) ? check.check(subject, subject, view) : undefined,
          );
        } else hooks.onEnforcement.tap(name, (subject, view) => check.check(subject, subject, view));
      },
    },
  });
}

function named(wanted: Names | undefined, actual: string | undefined): boolean {
  if (wanted === undefined) return true;
  return actual !== undefined && (typeof wanted === "string" ? wanted === actual : wanted.includes(actual));
}

function judgeCall<Schema extends z.ZodType>(check: ToolCallCheck<Schema>, call: ToolCall, view: View): Answer {
  if (!named(check.when?.tool, call.tool) || !named(check.when?.server, call.server)) return undefined;
  const parsed = check.args.safeParse(call.args);
  if (parsed.success) return check.check(parsed.data, call, view);
  return misfit(check.name, `arguments of \`${call.tool}\``, issuesOf(parsed.error));
}

function judgeTransition<Schema extends z.ZodType>(
  check: TransitionCheck<Schema>,
  subject: Transition,
  view: View,
): Answer {
  const { from, to, artifact } = check.when ?? {};
  if (!named(from, subject.from) || !named(to, subject.to)) return undefined;
  if (artifact !== undefined) {
    const parsed = check.artifact.safeParse(subject.artifacts[artifact]);
    if (parsed.success) return check.check(parsed.data, subject, view);
    return misfit(check.name, `artifact \`${artifact}\``, issuesOf(parsed.error));
  }
  const parsed = Object.values<Json>(subject.artifacts).map((item) => check.artifact.safeParse(item));
  const fitting = parsed.filter((result) => result.success);
  if (fitting.length === 0) return misfit(check.name, "artifacts", "none has the shape that the check needs");
  return fitting.flatMap(({ data }) => check.check(data, subject, view) ?? []);
}

function misfit(name: string, what: string, why: string): Verdict {
  return deny(`Unexpected ${what} for check ${name}: ${why}`, "submit what the check can read");
}
