import { describeIssues } from "@bylaw/wording";
import type { z } from "zod";
import { checkArgument } from "./check-argument.ts";
import type { Plugin } from "./plugin.ts";
import type { View } from "./projection.ts";
import type { Behavior, Response, SubjectOf, ToolCall, Transition } from "./subject.ts";
import { deny, type Answer, type HookName } from "./verdict.ts";

type Names = string | readonly string[];

interface CheckOf<H extends HookName, Data, When> {
  readonly hook: H;
  /** The name of the check in kebab-case: what it stops. */
  readonly name: string;
  readonly version?: string;
  readonly when?: When;
  /** Returns deny, ask_user or nothing, synchronously. Must be pure. */
  readonly check: (data: Data, subject: SubjectOf<H>, view: View) => Answer;
}

/** A check of tool calls. `args` parses the arguments; arguments that it rejects are denied. */
interface ToolCallCheck<Schema extends z.ZodType> extends CheckOf<
  "beforeToolCall",
  z.output<Schema>,
  { tool?: Names; server?: Names }
> {
  readonly args: Schema;
}

/** A check of transitions. `artifact` parses the artifact that `when.artifact` names, or else every artifact that matches. */
interface TransitionCheck<Schema extends z.ZodType> extends CheckOf<
  "onTransition",
  z.output<Schema>,
  { from?: Names; to?: Names; artifact?: string }
> {
  readonly artifact: Schema;
}

/** A check of requests to steer a workflow. */
type BehaviorCheck = CheckOf<"onBehavior", Behavior, { action?: Names }>;

/** A check of complete responses. */
type ResponseCheck = CheckOf<"onEnforcement", Response, undefined>;

/** Defines a check: a plugin with one tap and no options. A check can make decisions stricter, but never grant. */
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
  return Object.freeze({
    name,
    version,
    grants: false,
    neverSoftened: false,
    codes: new Set<string>(),
    options: undefined,
    definition: { shared: true, rules: () => [], apply },
  });
}

/** Whether a check applies to a name. Without `wanted`, it applies to every name. */
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
  const parsed = Object.entries(move.artifacts)
    .filter(([type]) => artifact === undefined || artifact === type)
    .map(([, item]) => check.artifact.safeParse(item));
  const fitting = parsed.filter((result) => result.success);
  if (fitting.length > 0) return fitting.flatMap(({ data }) => check.check(data, move, view) ?? []);
  const what = artifact === undefined ? "artifact" : `artifact \`${artifact}\``;
  return misfit(what, parsed[0]?.error);
}

const misfit = (what: string, error: z.ZodError | undefined): Answer =>
  deny(
    error === undefined
      ? `The check needs an ${what}, but none was given`
      : `The check cannot read the ${what}: ${describeIssues(error)}`,
  );
