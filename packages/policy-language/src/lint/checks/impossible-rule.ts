import type { ConditionSource } from "../../match/value-test.ts";
import { CallFacts } from "../../match/call-facts.ts";
import type { ToolTable } from "../../compile/tool-table.ts";
import type { WhenSource } from "../../compile/when-source.ts";
import type { LintCheck, LintRule } from "../check.ts";
import { same } from "../cover.ts";
import { isLiteral, literalPrefix } from "../glob-cover.ts";
import { allLiteral, callOf, namedTools, shellCall } from "../sample.ts";

/** Finds rules that no call can match. If a single key is impossible by itself, the file does not load. */
export const impossibleRule: LintCheck = {
  code: "impossible_rule",
  severity: "error",
  check(pool, report) {
    for (const rule of pool.rules) {
      const conflict =
        ofServer(rule) ??
        ofTools(rule, pool.tools) ??
        ofAccess(rule, pool.tools) ??
        ofArguments(rule) ??
        ofLine(rule, pool.tools) ??
        ofEffects(rule, pool.tools) ??
        ofWhen(rule);
      if (conflict === undefined) continue;
      const [key, why, fix] = conflict;
      report(rule, [key], `No call can match the rule \`${rule.source.name}\`: ${why}`, fix);
    }
  },
};

type Conflict = readonly [key: string, why: string, fix: string];

// In a rule with `server`, `tool` is the tool's own name, or one with the prefix of that server.
function ofServer({ shape: { servers, tools } }: LintRule): Conflict | undefined {
  if (servers === undefined || tools === undefined || !allLiteral(servers)) return undefined;
  const leads = servers.flatMap((server) => [`mcp__${server}__`, `mcp_${server}_`]);
  const impossible = tools.every((tool) => {
    const lead = literalPrefix(tool);
    return (
      /^mcp__[^_]+__/.test(lead) &&
      !leads.some((one) => one.startsWith(lead) || lead.startsWith(one))
    );
  });
  if (!impossible) return undefined;
  return [
    "tool",
    "`tool` names a different server than `server`",
    "write the tool's own name in `tool`, without the server's prefix",
  ];
}

function ofTools(rule: LintRule, tools: ToolTable): Conflict | undefined {
  const { network, read, write } = rule.shape;
  if (network === undefined || (read ?? write) === undefined || rule.source.effect !== "allow")
    return undefined;
  const both = [...tools.network.keys()].filter((name) => tools.files.has(name));
  if (namedTools(rule, both).length > 0 || namedTools(rule, tools.shell.keys()).length > 0)
    return undefined;
  return ["paths", "no tool has both a URL and path arguments", "write two rules"];
}

// A file tool reads or writes. `paths` for the other access says nothing about it.
function ofAccess({ source, shape }: LintRule, { files, shell }: ToolTable): Conflict | undefined {
  const { tools, servers, read, write } = shape;
  if (tools === undefined || servers !== undefined || (read ?? write) === undefined)
    return undefined;
  const never = (tool: string): boolean => {
    const table = files.get(tool);
    if (table === undefined || shell.has(tool) || !isLiteral(tool)) return false;
    const reads = (table.read ?? []).length > 0;
    const writes = (table.write ?? []).length + (table.patches ?? []).length > 0;
    const lacks = [reads && read === undefined, writes && write === undefined];
    // An allow must cover everything that the tool does; a deny only some of it.
    return source.effect === "allow"
      ? lacks.includes(true)
      : !(reads && read !== undefined) && !(writes && write !== undefined);
  };
  if (!tools.every(never)) return undefined;
  const has = write === undefined ? "read" : "write";
  return [
    "paths",
    `\`${tools.join("|")}\` does not only \`${has}\``,
    "write `paths = [ … ]`, which covers reading and writing",
  ];
}

// A plain value has no nested arguments. Only a deny also matches the dotted name as one argument.
function ofArguments({ source, shape: { args } }: LintRule): Conflict | undefined {
  if (args === undefined || source.effect !== "allow") return undefined;
  for (const [name, condition] of Object.entries(args)) {
    const inner = Object.keys(args).find(
      (other) => other.startsWith(`${name}.`) && needsValue(args[other] ?? {}),
    );
    if (inner !== undefined && isPlain(condition)) {
      return [
        "args",
        `\`${name}\` cannot be a plain value and contain \`${inner}\``,
        "write two rules, or remove one of the conditions",
      ];
    }
  }
  return undefined;
}

const needsValue = ({ exists }: ConditionSource): boolean => exists !== false;

function isPlain({
  eq,
  in: list,
  glob,
  regex,
  min,
  max,
  type,
  url_prefix,
  exists,
}: ConditionSource): boolean {
  const plain = (value: unknown): boolean =>
    typeof value !== "object" || value === null || Array.isArray(value);
  if (eq !== undefined && plain(eq)) return true;
  if (list?.every(plain) === true) return true;
  return (
    exists === false ||
    (glob ?? regex ?? min ?? max ?? url_prefix) !== undefined ||
    (type !== undefined && type !== "object")
  );
}

// `args` spells out the shell line, so `command` can be tested against it.
function ofLine(rule: LintRule, { shell, ...tools }: ToolTable): Conflict | undefined {
  const { args } = rule.shape;
  const part = rule.rule.parts.find(({ key }) => key === "command" || key === "command_regex");
  if (
    args === undefined ||
    (rule.source.command ?? rule.source.command_regex) === undefined ||
    part === undefined
  )
    return undefined;
  const named = namedTools(rule, shell.keys());
  const excluded = named.map((tool) => {
    const argument = shell.get(tool) ?? "";
    const { eq, in: list = eq === undefined ? undefined : [eq] } =
      (Object.hasOwn(args, argument) ? args[argument] : undefined) ?? {};
    return list?.every((line) => {
      if (typeof line !== "string") return true;
      const { perCommand } = new CallFacts(callOf(rule, tool, { [argument]: line }), {
        shell,
        ...tools,
      });
      return !perCommand.some((facts) => part.holds(facts) || part.mayHold?.(facts) === true);
    });
  });
  if (named.length === 0 || !excluded.every((one) => one === true)) return undefined;
  return ["args", `\`${part.key}\` does not match the line in \`args\``, `remove one of the two`];
}

// A pattern without a wildcard names exactly one command.
function ofEffects(rule: LintRule, tools: ToolTable): Conflict | undefined {
  const part = rule.rule.parts.find(({ key }) => key === "effects");
  const { commands } = rule.shape;
  if (part === undefined || commands?.every((text) => text.split(" ").every(isLiteral)) !== true)
    return undefined;
  const holds = commands.some((line) =>
    new CallFacts(shellCall(rule, line, tools), tools).perCommand.some((facts) =>
      part.holds(facts),
    ),
  );
  if (holds) return undefined;
  return ["effects", "`command` does not have the effects in `effects`", "remove one of the two"];
}

const KEYS = {
  agent: "agents",
  phase: "phases",
  approval_mode: "modes",
  interactive: "interactive",
} as const;

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
      typeof list === "boolean"
        ? list !== value
        : list !== undefined && allLiteral(list) && !list.some((one) => one === value);
    if (excluded)
      return [
        "when",
        `\`when\` requires a different \`${fact}\` than the key of the rule`,
        `remove \`${fact}\` from one of the two`,
      ];
  }
  return undefined;
}

type Leaf = Extract<WhenSource, { readonly operator: unknown }>;

/** The comparisons of a condition that must all hold. */
export function needs(node: WhenSource | undefined): readonly Leaf[] {
  if (node === undefined || "any" in node || "not" in node) return [];
  return "all" in node ? node.all.flatMap(needs) : [node];
}
