import type { Effect, JsonObject, ToolCall, Verdict } from "@bylaw/kernel";
import { PatternError, quote } from "../../load/finding.ts";
import { modesOf } from "./gemini-modes.ts";
import { compileArgsPattern, compileCommandRegex, type Finder } from "./gemini-pattern.ts";
import type { RawGeminiRule } from "./gemini-schema.ts";
import { compileGeminiTool, SHELL, type GeminiTool } from "./gemini-tool.ts";
import { PatternCompiler, type RuleComplaint } from "../../compile/rule-patterns.ts";
import { ruleVerdict } from "../../compile/rule-verdict.ts";

/** One rule of a file with `compat = "gemini"`, compiled. */
export interface GeminiRule {
  readonly name: string;
  readonly line: number;
  readonly effect: Effect;
  readonly priority: number;
  readonly verdict: Verdict;
  /** Whether the rule has no condition on arguments. */
  readonly blanket: boolean;
  readonly redirection: boolean;
  /** The words of each `commandPrefix`. */
  readonly prefixes: readonly (readonly string[])[] | undefined;
  /** `commandRegex`, compiled for the line as a whole and for each command. */
  readonly regex: { readonly line: Finder; readonly part: Finder } | undefined;
  readonly pattern: Finder | undefined;
  /** Whether everything but the arguments matches: tool, agent, mode and so on. */
  inScope(call: ToolCall, tool: GeminiTool): boolean;
}

/** Compiles one rule and reports every mistake. Returns undefined if there is one. */
export function compileGeminiRule(
  raw: RawGeminiRule,
  { file, line, index }: { readonly file: string; readonly line: number; readonly index: number },
  report: RuleComplaint,
): GeminiRule | undefined {
  const compiler = new PatternCompiler(report);
  checkKeys(raw, compiler);
  const { decision: effect, name = `rule ${index + 1}` } = raw;
  const tools = each("toolName", raw.toolName, compiler, (tool) =>
    compileGeminiTool(tool, raw.mcpName, effect),
  );
  const prefixes =
    raw.commandPrefix === undefined
      ? undefined
      : each("commandPrefix", raw.commandPrefix, compiler, wordsOf);
  const regex = compiler.one("commandRegex", raw.commandRegex, (source) => ({
    line: compileCommandRegex(source, { whole: false }),
    part: compileCommandRegex(source, { whole: effect === "allow" }),
  }));
  const pattern = compiler.one("argsPattern", raw.argsPattern, compileArgsPattern);
  if (compiler.failed) return undefined;
  const reason = effect === "deny" ? (raw.denyMessage ?? raw.deny_message) : undefined;
  return {
    name,
    line,
    effect,
    priority: raw.priority,
    verdict: ruleVerdict({ effect, name, file, line, reason }),
    blanket: patternKeys(raw).length === 0,
    redirection: raw.allowRedirection ?? raw.allow_redirection ?? false,
    prefixes,
    regex,
    pattern,
    inScope: scopeOf(raw, tools),
  };
}

const patternKeys = (raw: RawGeminiRule) =>
  (["commandPrefix", "commandRegex", "argsPattern"] as const).filter(
    (key) => raw[key] !== undefined,
  );

// Reports keys that exclude each other.
function checkKeys(raw: RawGeminiRule, compiler: PatternCompiler): void {
  const [pattern, ...others] = patternKeys(raw);
  const isShell = raw.toolName === SHELL && raw.mcpName === undefined;
  if (!isShell && pattern !== undefined && pattern !== "argsPattern")
    compiler.fail([pattern], `\`${pattern}\` works only with \`toolName = "${SHELL}"\``);
  for (const key of others) compiler.fail([key], `Use \`${key}\` or \`${pattern}\`, not both`);
  if (raw.toolAnnotations !== undefined && raw.decision === "allow") {
    compiler.fail(
      ["toolAnnotations"],
      "An allow cannot depend on `toolAnnotations`: a tool describes itself there",
      "Name the tools that you know",
    );
  }
  for (const [now, former] of [
    ["allowRedirection", "allow_redirection"],
    ["denyMessage", "deny_message"],
  ] as const) {
    if (raw[now] !== undefined && raw[former] !== undefined)
      compiler.fail([former], `Use \`${now}\` or \`${former}\`, not both`);
  }
}

const each = <T>(
  key: "toolName" | "commandPrefix",
  given: string | readonly string[],
  compiler: PatternCompiler,
  compile: (text: string) => T,
): readonly T[] =>
  [given]
    .flat()
    .flatMap(
      (text, at) =>
        compiler.attempt(typeof given === "string" ? [key] : [key, at], () => [compile(text)]) ??
        [],
    );

function scopeOf(
  raw: RawGeminiRule,
  tools: readonly ((tool: GeminiTool) => boolean)[],
): GeminiRule["inScope"] {
  const { interactive, subagent } = raw;
  const modes = modesOf(raw);
  const annotations = Object.entries(raw.toolAnnotations ?? {});
  return (call, tool) =>
    (modes === undefined || modes.includes(call.approval_mode ?? "ask")) &&
    (interactive === undefined || (call.interactive !== false) === interactive) &&
    (subagent === undefined || call.agent === subagent) &&
    annotations.every(([key, value]) => own(call.annotations, key) === value) &&
    tools.some((fits) => fits(tool));
}

const own = (table: JsonObject | undefined, key: string): unknown =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

// gemini-cli compares text, but this compares words. Only a prefix that means the same in both ways is accepted.
function wordsOf(prefix: string): readonly string[] {
  const words = prefix.split(" ").filter((word) => word !== "");
  if (words.length === 0 || words.join(" ") !== prefix) {
    throw new PatternError(
      `${quote(prefix)} has extra spaces, and gemini-cli would look for them in the command`,
      words.length === 0 ? undefined : `Write ${quote(words.join(" "))}`,
    );
  }
  if (/[*?[\]{}~]/.test(prefix)) {
    throw new PatternError(
      `gemini-cli takes the wildcard in ${quote(prefix)} literally`,
      "Leave it out: a prefix covers all that follows its words",
    );
  }
  if (/["'`$;&|<>()#\\\s]/.test(words.join(""))) {
    throw new PatternError(
      `${quote(prefix)} has shell syntax. A prefix must be the plain words of one simple command`,
      "Write one rule for each simple command, without quotes, variables and operators",
    );
  }
  return words;
}
