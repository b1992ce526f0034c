import type { z } from "zod";
import type { BehaviorCheck, Names, ResponseCheck, ToolCallCheck, TransitionCheck } from "../contract/check.d.ts";
import type { Plugin } from "../contract/plugin.d.ts";
import type { View } from "../contract/projection.d.ts";
import type { ToolCall, Transition } from "../contract/subject.d.ts";
import type { Answer } from "../contract/verdict.d.ts";
import { issuesOf } from "./plugin.ts";
import { deny } from "./verdict.ts";

/** Defines a check: a plugin with one tap and no options. It can tighten, never grant. */
export function defineCheck<Schema extends z.ZodType>(
  check: ToolCallCheck<Schema> | TransitionCheck<Schema> | BehaviorCheck | ResponseCheck,
): Plugin {
  const { name, version = "0.0.0" } = check;
  const apply: Plugin["definition"]["apply"] = ({ hooks }) => {
    if (check.hook === "beforeToolCall") hooks.beforeToolCall.tap(name, (call, view) => judgeCall(check, call, view));
    else if (check.hook === "onTransition") hooks.onTransition.tap(name, (move, view) => judgeTransition(check, move, view));
    else if (check.hook === "onEnforcement") hooks.onEnforcement.tap(name, (said, view) => check.check(said, said, view));
    else {
      const { check: judge, when } = check;
      hooks.onBehavior.tap(name, (act, view) => (named(when?.action, act.action) ? judge(act, act, view) : undefined));
    }
  };
  const definition = { pooled: true, rules: () => [], apply };
  return Object.freeze({ name, version, grants: false, hard: false, codes: new Set<string>(), options: undefined, definition });
}

const named = (wanted: Names | undefined, actual = ""): boolean =>
  wanted === undefined || (typeof wanted === "string" ? wanted === actual : wanted.includes(actual));

function judgeCall<Schema extends z.ZodType>(check: ToolCallCheck<Schema>, call: ToolCall, view: View): Answer {
  if (!named(check.when?.tool, call.tool) || !named(check.when?.server, call.server)) return undefined;
  const parsed = check.args.safeParse(call.args);
  return parsed.success ? check.check(parsed.data, call, view) : misfit(`arguments of \`${call.tool}\``, parsed.error);
}

function judgeTransition<Schema extends z.ZodType>(check: TransitionCheck<Schema>, move: Transition, view: View): Answer {
  const { from, to, artifact } = check.when ?? {};
  if (!named(from, move.from) || !named(to, move.to)) return undefined;
  const candidates: readonly unknown[] = Object.entries(move.artifacts).flatMap(([type, item]) =>
    artifact === undefined || artifact === type ? [item] : [],
  );
  const parsed = candidates.map((candidate) => check.artifact.safeParse(candidate));
  const fitting = parsed.filter((result) => result.success);
  const [misfitting] = parsed.filter((result) => !result.success);
  if (fitting.length === 0) return misfit(artifact === undefined ? "artifacts" : `artifact \`${artifact}\``, misfitting?.error);
  return fitting.flatMap(({ data }) => check.check(data, move, view) ?? []);
}

const misfit = (what: string, error: z.ZodError = { issues: [] } as unknown as z.ZodError): Answer =>
  deny(`Unexpected ${what}, expected the shape that the check reads: ${issuesOf(error) || "nothing was given"}`);
