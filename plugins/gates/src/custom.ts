import {
  BylawError,
  messageOf,
  type KernelApi,
  type Plugin,
  type Transition,
  type Verdict,
  type View,
} from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import type { Finding } from "./checks/check-input.ts";

type Answer = Verdict | readonly Verdict[] | undefined;
type Hooks = KernelApi["hooks"];

/** A host's own check, asked when a gate names it. */
export type CustomCheck = (request: Transition, view: View) => readonly Finding[];

type Tap = (subject: Transition, view: View) => Answer;

/** The host's own checks, by name. Throws BYLAW_GATE_CHECK_INVALID for a plugin that does more than check transitions. */
export function customChecks(checks: readonly Plugin[]): ReadonlyMap<string, CustomCheck> {
  const found = new Map<string, CustomCheck>();
  for (const check of checks) {
    if (found.has(check.name))
      throw invalid(check, "the same name as another check", "Give each check a name of its own");
    found.set(check.name, customCheck(check));
  }
  return found;
}

function customCheck(check: Plugin): CustomCheck {
  const taps: Tap[] = [];
  const refuse = (what: string) => (): never => {
    throw invalid(check, what, 'Make it with `defineCheck` and `hook: "onTransition"`');
  };
  const other = (name: string): Hooks["onTransition"] => ({
    tap: refuse(`a tap on ${name}`),
    tapPromise: refuse(`a tap on ${name}`),
  });
  const onTransition: Hooks["onTransition"] = {
    tap: (_, fn) => void taps.push(fn),
    tapPromise: refuse("an asynchronous tap"),
  };
  const hooks = {
    beforeToolCall: other("beforeToolCall"),
    onBehavior: other("onBehavior"),
    onEnforcement: other("onEnforcement"),
    onTransition,
  };
  const recorder: KernelApi = {
    hooks: hooks as unknown as Hooks,
    digest: () => {},
    event: refuse("an event"),
    projection: refuse("a projection"),
    guard: refuse("a guard"),
    sink: refuse("a sink"),
    redact: refuse("a redactor"),
    prepare: refuse("a preparation"),
    fallback: refuse("a fallback"),
    unmatched: refuse("a reason"),
    letThrough: refuse("calls to let through"),
    enforcementMode: refuse("an enforcement mode"),
    onSeal: refuse("a question about plugins"),
  };
  check.definition.apply(recorder, [
    { options: check.options, from: "gates", excludedRules: new Set<string>() },
  ]);
  if (taps.length === 0)
    throw invalid(
      check,
      "no tap on onTransition",
      'Make it with `defineCheck` and `hook: "onTransition"`',
    );
  return (request, view) => taps.flatMap((tap) => ask(tap, request, view));
}

// A check that throws or returns something other than a verdict blocks the transition.
function ask(tap: Tap, request: Transition, view: View): readonly Finding[] {
  try {
    const answer = tap(request, view);
    if (answer === undefined) return [];
    return (Array.isArray(answer) ? (answer as readonly Verdict[]) : [answer as Verdict]).flatMap(
      (verdict) => findingOf(verdict),
    );
  } catch (error) {
    return [
      {
        kind: "broken",
        detail: messageOf(error),
        fix: "Fix or remove the check. Until then it denies",
      },
    ];
  }
}

function findingOf(verdict: Verdict): readonly Finding[] {
  const { effect, reason, fix, shadow, severity } = verdict;
  if (typeof reason !== "string" || !["allow", "ask_user", "deny"].includes(effect))
    throw new Error("The check answered with something that is not a verdict");
  if (effect === "allow" || shadow === true) return [];
  return [
    {
      kind: severity === "warning" ? "note" : "no",
      detail: reason,
      ...(fix === undefined ? {} : { fix }),
    },
  ];
}

const invalid = ({ name }: Plugin, what: string, fix: string): BylawError =>
  new BylawError({
    code: "BYLAW_GATE_CHECK_INVALID",
    message: `The check ${quote(name)} cannot be used at a gate: it has ${what}`,
    fix,
  });
