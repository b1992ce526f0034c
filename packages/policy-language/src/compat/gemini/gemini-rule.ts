import type { Effect, JsonObject, ToolCall, Verdict } from "@bylaw/kernel";
import { PatternError, quote } from "../../load/finding.ts";
import { modesOf } from "./gemini-modes.ts";
import { compileArgsPattern, compileCommandRegex, type Finder } from "./gemini-pattern.ts";
import type { RawGeminiRule } from "./gemini-schema.ts";
import { compileGeminiTool, SHELL, type GeminiTool } from "./gemini-tool.ts";
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
  speaks(call: ToolCall, tool: GeminiTool): boolean;
}

type Complaint = (path: readonly (string | number)[], message: string, fix?: string) => void;

/** Compiles one rule and reports every mistake. Returns undefined if there is one. */
export function compileGeminiRule(
  raw: RawGeminiRule,
  { file, line, index }: { readonly file: string; readonly line: number; readonly index: number },
  report: Complaint,
): GeminiRule | undefined {
  let wrong = false;
  const error: Complaint = (path, message, fix) => {
    wrong = true;
    report(path, message, fix);
  };
  const attempt = <T>(path: readonly (string | number)[], compile: () => T): T | undefined => {
    try {
      return compile();
    } catch (thrown) {
      if (!(thrown instanceof PatternError)) throw thrown;
      error(path, thrown.message, thrown.fix);
      return undefined;
    }
  };
  const {
    decision: effect,
    commandPrefix,
    commandRegex,
    argsPattern,
    toolAnnotations,
    subagent,
    interactive,
    mcpName,
  } = raw;
  const list = (value: string | readonly string[]): readonly string[] =>
    typeof value === "string" ? [value] : value;
  const shellKey =
    commandPrefix === undefined
      ? commandRegex === undefined
        ? undefined
        : "commandRegex"
      : "commandPrefix";
  if (shellKey !== undefined && (raw.toolName !== SHELL || mcpName !== undefined)) {
    error([shellKey], `\`${shellKey}\` works only with \`toolName = "${SHELL}"\``);
  }
  const patterns = (["commandPrefix", "commandRegex", "argsPattern"] as const).filter(
    (key) => raw[key] !== undefined,
  );
  for (const key of patterns.slice(1))
    error([key], `Use \`${key}\` or \`${patterns[0] ?? ""}\`, not both`);
  if (toolAnnotations !== undefined && effect === "allow") {
    error(
      ["toolAnnotations"],
      "An allow cannot depend on `toolAnnotations`: a tool describes itself there",
      "Name the tools that you know",
    );
  }
  for (const [now, former] of [
    ["allowRedirection", "allow_redirection"],
    ["denyMessage", "deny_message"],
  ] as const) {
    if (raw[now] !== undefined && raw[former] !== undefined) {
      error([former], `Use \`${now}\` or \`${former}\`, not both`);
    }
  }
  const tools = list(raw.toolName).map((name, at) =>
    attempt(typeof raw.toolName === "string" ? ["toolName"] : ["toolName", at], () =>
      compileGeminiTool(name, mcpName, effect),
    ),
  );
  const prefixes =
    commandPrefix === undefined
      ? undefined
      : list(commandPrefix).flatMap((text, at) => {
          const words = attempt(
            typeof commandPrefix === "string" ? ["commandPrefix"] : ["commandPrefix", at],
            () => wordsOf(text),
          );
          return words === undefined ? [] : [words];
        });
  const regex =
    commandRegex === undefined
      ? undefined
      : attempt(["commandRegex"], () => ({
          line: compileCommandRegex(commandRegex, { whole: false }),
          part: compileCommandRegex(commandRegex, { whole: effect === "allow" }),
        }));
  const pattern =
    argsPattern === undefined
      ? undefined
      : attempt(["argsPattern"], () => compileArgsPattern(argsPattern));
  if (wrong) return undefined;
  const modes = modesOf(raw);
  const annotations = Object.entries(toolAnnotations ?? {});
  const name = raw.name ?? `rule ${index + 1}`;
  return {
    name,
    line,
    effect,
    priority: raw.priority,
    verdict: ruleVerdict({
      effect,
      name,
      file,
      line,
      reason: effect === "deny" ? (raw.denyMessage ?? raw.deny_message) : undefined,
    }),
    blanket: patterns.length === 0,
    redirection: raw.allowRedirection ?? raw.allow_redirection ?? false,
    prefixes,
    regex,
    pattern,
    speaks(call, tool) {
      if (modes !== undefined && !modes.includes(call.approval_mode ?? "ask")) return false;
      if (interactive !== undefined && (call.interactive !== false) !== interactive) return false;
      if (subagent !== undefined && call.agent !== subagent) return false;
      if (
        annotations.length > 0 &&
        !annotations.every(([key, value]) => own(call.annotations, key) === value)
      )
        return false;
      return tools.some((fits) => fits?.(tool) === true);
    },
  };
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
