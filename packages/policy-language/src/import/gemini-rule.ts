import type { ApprovalMode, Effect } from "@bylaw/kernel";
import { modesOf } from "../compat/gemini/gemini-modes.ts";
import { hasOpenAlternative } from "../compat/gemini/gemini-pattern.ts";
import type { RawGeminiRule } from "../compat/gemini/gemini-schema.ts";
import { SEARCH, SHELL } from "../compat/gemini/gemini-tool.ts";
import { argsWays } from "./gemini-args.ts";
import type { Candidate, Draft, RuleKeys } from "./draft.ts";
import type { SourcePlace } from "./finding.ts";
import { coveringPrefix, literal, plainWords, SHELL_TOOLS } from "./literal.ts";
import type { OrderedRule } from "./tiers.ts";

/** A rule of gemini-cli during its translation. Each list in `ways` becomes one rule: its candidates, most exact first. */
export interface GeminiImport extends OrderedRule {
  readonly place: SourcePlace;
  readonly ways: readonly (readonly Candidate[])[];
  /** Only for an allow of shell lines: the lines that gemini-cli still asks about. */
  readonly asks?: { readonly redirections: boolean; readonly dangerous: readonly ApprovalMode[] };
}

type Ways = GeminiImport["ways"];

/** Reads one rule. Returns the reason as text if it cannot be carried over, and undefined if there is nothing to carry over. */
export function geminiRule(
  raw: RawGeminiRule,
  place: SourcePlace,
  draft: Draft,
): GeminiImport | string | undefined {
  const { decision: effect, priority } = raw;
  if (modesOf(raw)?.length === 0) {
    draft.find(
      "lost",
      place,
      "Bylaw has no plan mode, so the rule never matches; `phase` limits a rule to a phase of the task",
    );
    return undefined;
  }
  const unsafe = effect === "allow" ? unsafeAllow(raw) : undefined;
  if (unsafe !== undefined) return unsafe;
  if (redirects(raw) && effect === "allow") {
    draft.find(
      "stricter",
      place,
      "an allow does not cover output redirected to a file, so such a line needs approval",
    );
  }
  const ways = waysOf(raw, place, draft);
  if (typeof ways === "string") return ways;
  const common = commonKeys(raw);
  return {
    effect,
    priority,
    place,
    tools: toolsOf(raw),
    ...(effect === "allow" && namesShell(raw) ? { asks: asksOf(raw) } : {}),
    ways: ways.map((way) =>
      way.map((candidate) => ({ ...candidate, keys: { ...candidate.keys, ...common } })),
    ),
  };
}

const listOf = (value: string | readonly string[]): readonly string[] => [value].flat();

const isAboutCommands = ({ commandPrefix, commandRegex }: RawGeminiRule): boolean =>
  commandPrefix !== undefined || commandRegex !== undefined;

const redirects = (raw: RawGeminiRule): boolean =>
  (raw.allowRedirection ?? raw.allow_redirection) === true;

const namesShell = ({ mcpName, toolName }: RawGeminiRule): boolean =>
  mcpName === undefined &&
  listOf(toolName).some((name) => name === "*" || name === SHELL || name === "ShellTool");

function unsafeAllow(raw: RawGeminiRule): string | undefined {
  if (raw.toolAnnotations !== undefined)
    return "a tool writes its own annotations, so an allow cannot depend on them";
  const names = listOf(raw.toolName);
  return isAboutCommands(raw) && (names.length !== 1 || names[0] !== SHELL)
    ? `conditions on commands work only with \`toolName = "${SHELL}"\``
    : undefined;
}

function asksOf(raw: RawGeminiRule): NonNullable<GeminiImport["asks"]> {
  const modes = modesOf(raw);
  const blanket = !isAboutCommands(raw) && raw.argsPattern === undefined;
  return {
    redirections: !redirects(raw) && modes?.includes("ask") !== false,
    dangerous: blanket
      ? (["ask", "autoEdit"] as const).filter((mode) => modes?.includes(mode) !== false)
      : [],
  };
}

// The conditions that every rule of the translation has, whatever it says about tools and arguments.
function commonKeys(raw: RawGeminiRule): RuleKeys {
  const modes = modesOf(raw);
  return {
    ...(modes === undefined ? {} : { modes }),
    ...(raw.interactive === undefined ? {} : { interactive: raw.interactive }),
    ...(raw.subagent === undefined ? {} : { agent: literal(raw.subagent) }),
    ...annotated(raw.toolAnnotations),
    ...reasonOf(raw.decision, raw.denyMessage ?? raw.deny_message),
  };
}

function waysOf(raw: RawGeminiRule, place: SourcePlace, draft: Draft): Ways | string {
  const { decision: effect, commandPrefix, commandRegex, argsPattern, mcpName } = raw;
  if (commandPrefix !== undefined) return prefixListWays(listOf(commandPrefix), effect);
  if (commandRegex !== undefined) return regexWays(commandRegex, effect);
  const names = listOf(raw.toolName);
  const rules = targets(names, mcpName, effect);
  if (typeof rules === "string") return rules;
  if (names.some((name) => !/^(?:\*|mcp_\*|mcp_[^*]+_\*|[^*]*)$/.test(name))) {
    draft.find(
      "stricter",
      place,
      "gemini-cli reads `*` inside a name literally and never matches; the imported rule matches it as a wildcard",
    );
  }
  if (argsPattern === undefined) return rules.map((keys) => [{ keys }]);
  const any = names.includes("*") && mcpName === undefined;
  return allOrReason(rules.map((keys) => argsWays(argsPattern, keys, effect, { any })));
}

function prefixListWays(prefixes: readonly string[], effect: Effect): Ways | string {
  const ways = allOrReason(prefixes.map((prefix) => prefixWays(prefix, effect)));
  if (typeof ways === "string") return ways;
  const texts = ways.flatMap(([first]) => {
    const command = first?.note === undefined ? first?.keys["command"] : undefined;
    return typeof command === "string" ? [command] : [];
  });
  // One rule for all prefixes if each of them is exact.
  return texts.length === ways.length
    ? [[{ keys: { command: texts } }, ...coveringPrefix("").slice(effect === "allow" ? 1 : 0)]]
    : ways;
}

/** Returns the first reason why one cannot be carried over, or else all of them. */
function allOrReason(read: readonly (readonly Candidate[] | string)[]): Ways | string {
  const ways: (readonly Candidate[])[] = [];
  for (const one of read) {
    if (typeof one === "string") return one;
    ways.push(one);
  }
  return ways;
}

const reasonOf = (effect: Effect, message: string | undefined): RuleKeys =>
  effect === "deny" && message !== undefined && message.trim() !== ""
    ? { reason: message.trim().replaceAll(/\s+/g, " ") }
    : {};

function annotated(annotations: RawGeminiRule["toolAnnotations"]): RuleKeys {
  const all = Object.entries(annotations ?? {}).map(([key, value]) => ({
    fact: "annotations",
    path: `$['${key.replaceAll("'", "\\'")}']`,
    operator: "equal",
    value,
  }));
  return all.length === 0 ? {} : { when: { all } };
}

function prefixWays(prefix: string, effect: Effect): readonly Candidate[] | string {
  const { words, all } = plainWords(prefix);
  const allow = effect === "allow";
  if (!all || words.length === 0)
    return allow
      ? `the prefix ${JSON.stringify(prefix)} has more than plain words`
      : coveringPrefix(prefix);
  return [
    { keys: { command: `${words.map(literal).join(" ")} *` } },
    ...(allow ? [] : coveringPrefix(prefix)),
  ];
}

function regexWays(regex: string, effect: Effect): Ways | string {
  const allow = effect === "allow";
  // JSON escapes quotes and backslashes, so a pattern with these characters means something else here.
  const json = /["]|\\\\/.test(regex);
  const anchored = regex.startsWith("^") || /(^|[^\\])(\\\\)*\$$/.test(regex);
  if (allow) {
    if (json) return "the pattern matches quotes or backslashes as JSON escapes them";
    if (anchored)
      return "the rule never matched, because gemini-cli searches for the pattern inside JSON, where `^` and `$` never hold";
    return [[{ keys: { command_regex: `(?:${regex})( .*)?` } }]];
  }
  const whole: Candidate = {
    keys: { tool: SHELL_TOOLS },
    note: "the pattern cannot be carried over, so the rule holds for every shell line",
  };
  const bare = regex.replace(/^\^/, "").replace(/\$$/, "");
  if (json) return [[whole]];
  const before = hasOpenAlternative(bare) ? ".*" : "";
  const note = anchored
    ? { note: "gemini-cli never matches a pattern with `^` or `$`; the imported rule omits them" }
    : {};
  return [
    [{ keys: { command_regex: `${before}(?:${bare}).*` }, ...note }, whole],
    // Also the line as a whole, because the pattern may match across several commands.
    [
      { keys: { tool: SHELL_TOOLS, args: { command: { regex: `${before}(?:${bare}).*` } } } },
      whole,
    ],
  ];
}

/**
 * Translates `toolName` and `mcpName` into `tool` and `server`, one rule for each. Returns the reason as text if they
 * cannot be carried over.
 */
function targets(
  names: readonly string[],
  mcpName: string | undefined,
  effect: Effect,
): readonly RuleKeys[] | string {
  const allow = effect === "allow";
  const rules: RuleKeys[] = [];
  const plain: string[] = [];
  for (const name of names) {
    const server = /^mcp_(.+)_\*$/.exec(name)?.[1];
    const star = (server ?? name).includes("*") && name !== "*" && name !== "mcp_*";
    if (star || (mcpName !== undefined && mcpName !== "*" && mcpName.includes("*"))) {
      if (allow)
        return `the rule never matched, because gemini-cli reads \`*\` in ${JSON.stringify(name)} literally`;
    }
    if (mcpName !== undefined) {
      rules.push(...ofServer(mcpName, name === "*" ? undefined : starredIf(star, name), { allow }));
    } else if (name === "*" || name === "mcp_*") rules.push({ tool: name });
    else if (server !== undefined) rules.push({ server: starredIf(star, server) });
    else if (name.startsWith("mcp_") && allow) {
      // gemini-cli takes the text up to the next underscore as the server.
      const [, of = "", tool = ""] = /^mcp_([^_]+)_(.+)$/.exec(name) ?? [];
      if (tool === "") return `${JSON.stringify(name)} names no server and tool`;
      rules.push({ server: literal(of), tool: literal(tool) });
    } else if (name === SHELL || name === "ShellTool") plain.push(SHELL_TOOLS);
    else if (SEARCH.includes(name)) plain.push(SEARCH.join("|"));
    else plain.push(starredIf(star, name));
  }
  if (plain.length > 0) rules.push({ tool: [...new Set(plain)].join("|") });
  // The name may also be an agent that `invoke_agent` calls.
  const agents = names.filter(
    (name) =>
      mcpName === undefined &&
      !name.startsWith("mcp_") &&
      /^[a-z][a-z0-9_-]*$/.test(name) &&
      !BUILT_IN.has(name),
  );
  if (agents.length > 0) rules.push({ tool: "invoke_agent", args: { agent_name: { in: agents } } });
  return rules;
}

// A deny or an ask must also hold if no registry confirms the server of the tool.
function ofServer(
  name: string,
  tool: string | undefined,
  { allow }: { readonly allow: boolean },
): readonly RuleKeys[] {
  const server = name.includes("*") ? name : literal(name);
  if (tool === undefined) return [name === "*" ? { tool: "mcp_*" } : { server }];
  if (allow) return [{ server, tool }];
  const glued = { tool: `mcp_${server}_${tool}|mcp__${server}__${tool}` };
  return name === "*" ? [{ server, tool }, glued] : [glued];
}

const starredIf = (star: boolean, name: string): string =>
  star ? name.replaceAll(/[\\?[\]{}|!]/g, "\\$&") : literal(name);

function toolsOf(raw: RawGeminiRule): ReadonlySet<string> | undefined {
  if (isAboutCommands(raw)) return new Set([SHELL]);
  const names = listOf(raw.toolName);
  if (
    raw.mcpName !== undefined ||
    names.some((name) => name.includes("*") || name.startsWith("mcp_"))
  )
    return undefined;
  return new Set(
    names.flatMap((name) => (SEARCH.includes(name) ? SEARCH : name === "ShellTool" ? SHELL : name)),
  );
}

const BUILT_IN: ReadonlySet<string> = new Set(
  (
    `${SHELL} ShellTool invoke_agent read_file read_many_files write_file replace glob grep_search search_file_content list_directory web_fetch ` +
    "google_web_search save_memory activate_skill ask_user enter_plan_mode exit_plan_mode update_topic complete_task write_todos " +
    "get_internal_docs read_mcp_resource list_mcp_resources"
  ).split(" "),
);
