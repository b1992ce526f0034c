import { definePlugin, type Kernel, type ToolCall, type Verdict, type View } from "@bylaw/kernel";
import { POLICY_CODES, compilePolicy, parsePolicy, type PolicyPool } from "@bylaw/policy-language";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { policyOf, type ConstitutionRule } from "./rule.ts";
import {
  CONSTITUTION_EVENTS,
  constitutionGuard,
  constitutionState,
  ownRulesGuard,
  rulesAt,
  rulesFor,
} from "./state.ts";

/** Rules that a session gives itself while it runs. Rules with a check deny or ask; no rule ever allows. */
export const constitution = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      agent_rules: z
        .enum(["all", "own"])
        .default("all")
        .describe(
          "Whose calls an agent's rule binds: those of every agent of the run, or only its own. An operator's rule binds all",
        ),
    })
    .prefault({}),
  codes: POLICY_CODES,
  apply(kernel, { agent_rules }) {
    for (const type of CONSTITUTION_EVENTS) kernel.event(type);
    kernel.projection(constitutionState);
    kernel.guard("rules", constitutionGuard);
    if (agent_rules === "own") kernel.guard("own", ownRulesGuard);
    // Rules are known only from the log, so every path of a call must be resolved.
    kernel.prepare("paths", (subject) =>
      subject.hook === "beforeToolCall"
        ? resolvePaths(subject, anyPath().pathsToResolve(subject), {
            globs: anyPath().globsToResolve(subject),
            preparation: subject,
          })
        : undefined,
    );
    const pools: Pools = new WeakMap();
    kernel.hooks.beforeToolCall.tap("rules", (call, view) =>
      judge(call, view, { pools, agent_rules }),
    );
  },
});

/** Whether each agent has its own rules in this kernel, by `agent_rules`. Use it as `own` when an agent changes rules. */
export const hasOwnRules = ({ plugins }: Pick<Kernel, "plugins">): boolean =>
  plugins.some(
    ({ plugin, instances }) =>
      plugin.name === manifest.name &&
      instances.some(
        ({ options }) =>
          (options as { readonly agent_rules?: unknown } | undefined)?.agent_rules === "own",
      ),
  );

let everyPath: PolicyPool | undefined;

// Compiled on first use: a run without tool calls needs none.
const anyPath = (): PolicyPool =>
  (everyPath ??= compilePolicy([
    parsePolicy('[[rules]]\nname = "any-path"\naction = "deny"\npaths = "**"', {
      file: "constitution",
      operator: true,
    }),
  ]));

/**
 * The compiled rules. If each agent has its own, there is one entry for each agent with rules; `undefined` is the entry for all others.
 */
type Pools = WeakMap<readonly ConstitutionRule[], Map<string | undefined, PolicyPool>>;

interface Judging {
  readonly pools: Pools;
  readonly agent_rules: "all" | "own";
}

function judge(
  call: ToolCall,
  view: View,
  { pools, agent_rules }: Judging,
): readonly Verdict[] | undefined {
  const rules = rulesAt(view(constitutionState), call.at);
  if (rules.length === 0) return undefined;
  const compiled = pools.get(rules) ?? new Map<string | undefined, PolicyPool>();
  pools.set(rules, compiled);
  const gave =
    agent_rules === "own" &&
    rules.some(({ author, by }) => author === "agent" && by === call.agent);
  const giver = gave ? call.agent : undefined;
  let pool = compiled.get(giver);
  if (pool === undefined) {
    const holding = rulesFor(rules, giver ?? null, agent_rules === "own");
    const files = holding.flatMap(({ id, rule, check }) =>
      check === null ? [] : [policyOf({ id, rule, check })],
    );
    pool = compilePolicy(files, { pathsFact: manifest.name });
    compiled.set(giver, pool);
  }
  return pool.evaluate(call);
}
