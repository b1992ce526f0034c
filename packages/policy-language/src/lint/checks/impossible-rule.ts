import type { WhenSource } from "../../when.ts";
import type { LintCheck, LintRule } from "../check.ts";
import { same } from "../cover.ts";
import { leadOf } from "../glob-cover.ts";
import { allLiteral, namedTools } from "../sample.ts";

/** A rule that no call can match. What a single key says about that is an error at load already. */
export const impossibleRule: LintCheck = {
  code: "impossible_rule",
  severity: "error",
  finds: "a rule whose conditions exclude one another, so that no call matches it",
  fires: `
[[rules]]
name = "issues"
action = "allow"
server = "github"
tool = "mcp__gitlab__get_issue"
`,
  abstains: `
[[rules]]
name = "issues"
action = "allow"
server = "github"
tool = "get_issue"
`,
  check(pool, report) {
    for (const rule of pool.rules) {
      const conflict = ofServer(rule) ?? ofTools(rule, pool.tools) ?? ofWhen(rule);
      if (conflict === undefined) continue;
      const [key, why, fix] = conflict;
      report(
        rule,
        [key],
        `Unexpected rule \`${rule.source.name}\` that no call can match, expected conditions that can hold together: ${why}`,
        fix,
      );
    }
  },
};

type Conflict = readonly [key: string, why: string, fix: string];

// Behind `server` a tool has its own name, or one glued to that very server.
function ofServer({ shape: { servers, tools } }: LintRule): Conflict | undefined {
  if (servers === undefined || tools === undefined || !allLiteral(servers)) return undefined;
  const leads = servers.flatMap((server) => [`mcp__${server}__`, `mcp_${server}_`]);
  const impossible = tools.every((tool) => {
    const lead = leadOf(tool);
    return /^mcp__[^_]+__/.test(lead) && !leads.some((one) => one.startsWith(lead) || lead.startsWith(one));
  });
  if (!impossible) return undefined;
  return ["tool", "`tool` names another server than `server`", "write the tool's own name in `tool`, without the server's prefix"];
}

function ofTools(
  rule: LintRule,
  tools: {
    readonly files: ReadonlyMap<string, unknown>;
    readonly network: ReadonlyMap<string, unknown>;
    readonly shell: ReadonlyMap<string, unknown>;
  },
): Conflict | undefined {
  const { network, read, write } = rule.shape;
  if (network === undefined || (read ?? write) === undefined || rule.source.effect !== "allow") return undefined;
  const both = [...tools.network.keys()].filter((name) => tools.files.has(name));
  if (namedTools(rule, both).length > 0 || namedTools(rule, tools.shell.keys()).length > 0) return undefined;
  return ["paths", "no tool opens a URL and has path arguments too", "write two rules"];
}

const KEYS = { agent: "agents", phase: "phases", approval_mode: "modes", interactive: "interactive" } as const;

function ofWhen({ shape }: LintRule): Conflict | undefined {
  const needed = new Map<string, unknown>();
  for (const leaf of needs(shape.when)) {
    if (!("fact" in leaf) || leaf.operator !== "equal") continue;
    const where = `${leaf.fact}${leaf.path ?? ""}`;
    if (needed.has(where) && !same(needed.get(where), leaf.value)) {
      return ["when", `\`${where}\` cannot be two values at once`, "write `any` for alternatives"];
    }
    needed.set(where, leaf.value);
  }
  for (const [fact, key] of Object.entries(KEYS)) {
    if (!needed.has(fact)) continue;
    const value = needed.get(fact);
    const list = shape[key];
    const excluded =
      typeof list === "boolean" ? list !== value : list !== undefined && allLiteral(list) && !list.some((one) => one === value);
    if (excluded) return ["when", `\`when\` wants another \`${fact}\` than the rule's own key`, `drop \`${fact}\` from one of the two`];
  }
  return undefined;
}

type Leaf = Extract<WhenSource, { readonly operator: unknown }>;

/** The comparisons that must all hold. */
export function needs(node: WhenSource | undefined): readonly Leaf[] {
  if (node === undefined || "any" in node || "not" in node) return [];
  return "all" in node ? node.all.flatMap(needs) : [node];
}
