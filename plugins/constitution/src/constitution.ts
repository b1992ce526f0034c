import { definePlugin, type ToolCall, type Verdict, type View } from "@bylaw/kernel";
import { POLICY_CODES, compilePolicy, parsePolicy, type PolicyPool } from "@bylaw/policy-language";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { policyOf, type ConstitutionRule } from "./rule.ts";
import { CONSTITUTION_EVENTS, constitutionGuard, constitutionState, rulesAt } from "./state.ts";

/** Rules that a session gives itself while it runs. Those that can be checked deny or ask; none ever allows. */
export const constitution = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  codes: POLICY_CODES,
  apply(kernel) {
    for (const type of CONSTITUTION_EVENTS) kernel.event(type);
    kernel.projection(constitutionState);
    kernel.guard("rules", constitutionGuard);
    // The rules are not known before the log is: every path that a call names is looked up.
    kernel.prepare("paths", (subject) =>
      subject.hook === "beforeToolCall"
        ? resolvePaths(subject, anyPath().pathsToResolve(subject), { globs: anyPath().globsToResolve(subject) })
        : undefined,
    );
    const pools = new WeakMap<readonly ConstitutionRule[], PolicyPool>();
    kernel.hooks.beforeToolCall.tap("rules", (call, view) => judge(call, view, pools));
  },
});

let compiled: PolicyPool | undefined;

// Not before somebody asks: a run in which no tool is called needs none.
const anyPath = (): PolicyPool =>
  (compiled ??= compilePolicy([
    parsePolicy('[[rules]]\nname = "any-path"\naction = "deny"\npaths = "**"', { file: "constitution", operator: true }),
  ]));

function judge(call: ToolCall, view: View, pools: WeakMap<readonly ConstitutionRule[], PolicyPool>): readonly Verdict[] | undefined {
  const rules = rulesAt(view(constitutionState), call.at);
  if (rules.length === 0) return undefined;
  let pool = pools.get(rules);
  if (pool === undefined) {
    const files = rules.flatMap(({ id, rule, check }) => (check === null ? [] : [policyOf({ id, rule, check })]));
    pool = compilePolicy(files, { pathsFact: manifest.name });
    pools.set(rules, pool);
  }
  return pool.evaluate(call);
}
