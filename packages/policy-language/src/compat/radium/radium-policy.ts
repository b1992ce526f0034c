import {
  isJsonObject,
  type ApprovalMode,
  type Effect,
  type Json,
  type ToolCall,
  type Verdict,
} from "@bylaw/kernel";
import type { CompatPolicy } from "../compat-policy.ts";
import { PatternError, quote } from "../../load/finding.ts";
import { compileCaretGlob, type Glob } from "../../match/glob.ts";
import { ruleVerdict } from "../../compile/rule-verdict.ts";

export interface RadiumRule {
  readonly name: string;
  readonly priority?: "admin" | "user" | "default" | undefined;
  readonly action: Effect;
  readonly tool_pattern: string;
  readonly arg_pattern?: string | undefined;
  readonly reason?: string | undefined;
  readonly path: readonly (string | number)[];
  readonly line: number;
}

interface Compiled {
  readonly name: string;
  readonly line: number;
  readonly verdict: Verdict;
  readonly tool: readonly Glob[];
  readonly args: readonly Glob[] | undefined;
}

const ORDER = { admin: 0, user: 1, default: 2 } as const;
const EDITS: ReadonlySet<string> = new Set([
  "write_file",
  "edit_file",
  "update_file",
  "modify_file",
  "create_file",
]);

type Report = (path: readonly (string | number)[], message: string, fix?: string) => void;

/**
 * Compiles the rules. They are tried by descending priority (default: user), then in the order of the file, and the
 * first match decides.
 */
export function compileRadium(
  top: { readonly file: string; readonly mode: ApprovalMode },
  rules: readonly RadiumRule[],
  report: Report,
): CompatPolicy {
  const compiled: Compiled[] = [];
  const globs = (
    rule: RadiumRule,
    key: "tool_pattern" | "arg_pattern",
  ): readonly Glob[] | undefined => {
    const pattern = rule[key];
    if (pattern === undefined) return undefined;
    try {
      return compileRadiumGlob(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      report([...rule.path, key], error.message, error.fix);
      return undefined;
    }
  };
  for (const rule of rules.toSorted(
    (a, b) => ORDER[a.priority ?? "user"] - ORDER[b.priority ?? "user"],
  )) {
    const tool = globs(rule, "tool_pattern");
    const args = globs(rule, "arg_pattern");
    const { name, line, action, reason } = rule;
    const verdict = ruleVerdict({
      effect: action,
      name,
      file: top.file,
      line,
      reason: reason ?? `Matched rule: ${name}`,
    });
    compiled.push({ name, line, verdict, tool: tool ?? [], args });
  }
  return policyOf(top.file, top.mode, compiled);
}

function policyOf(file: string, mode: ApprovalMode, rules: readonly Compiled[]): CompatPolicy {
  return {
    rules: rules.map(({ name, line, verdict }) => ({ name, line, effect: verdict.effect })),
    vote(call) {
      const tool = toolOf(call);
      const verdict = firstOf(rules, call, tool) ?? unmatched(file, mode, tool);
      return verdict.effect === "allow" && contradicts(call) ? contradiction(call) : verdict;
    },
    matches(call, line) {
      const rule = rules.find((candidate) => candidate.line === line);
      if (rule === undefined || !rule.tool.some((glob) => glob.matches(toolOf(call)))) return false;
      return rule.args === undefined || applies(rule.args, textsOf(call));
    },
    without: (names) =>
      policyOf(
        file,
        mode,
        rules.filter(({ name }) => !names.has(name)),
      ),
  };
}

function firstOf(rules: readonly Compiled[], call: ToolCall, tool: string): Verdict | undefined {
  let texts: readonly string[] | undefined;
  for (const rule of rules) {
    if (!rule.tool.some((glob) => glob.matches(tool))) continue;
    if (rule.args === undefined || applies(rule.args, (texts ??= textsOf(call))))
      return rule.verdict;
  }
  return undefined;
}

// Whether the tool's name has the prefix of a different server than the host names.
function contradicts({ tool, server }: ToolCall): boolean {
  if (server === undefined) return false;
  return (
    server === "" ||
    (tool.startsWith("mcp_") &&
      !tool.startsWith(`mcp_${server}_`) &&
      !tool.startsWith(`mcp__${server}__`))
  );
}

const contradiction = ({ tool, server = "" }: ToolCall): Verdict => ({
  effect: "ask_user",
  code: "unknown_server",
  reason: `The tool ${quote(tool)} of server ${quote(server)} has the prefix of another server.`,
  fix: "Let the host give the server, and the tool's name without a prefix",
});

const applies = (globs: readonly Glob[], texts: readonly string[]): boolean =>
  texts.some((text) => globs.some((glob) => glob.matches(text)));

// Radium knows each tool of a server by one prefixed name.
function toolOf({ tool, server }: ToolCall): string {
  return server === undefined || tool.startsWith("mcp_") ? tool : `mcp_${server}_${tool}`;
}

// Each argument alone, then all of them joined with spaces.
function textsOf({ args }: ToolCall): readonly string[] {
  const values: readonly Json[] = isJsonObject(args) ? Object.values(args) : args;
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return [...texts, texts.join(" ")];
}

function unmatched(file: string, mode: ApprovalMode, tool: string): Verdict {
  if (mode === "yolo" || (mode === "autoEdit" && EDITS.has(tool))) {
    return {
      effect: "allow",
      reason: `No rule of ${file} matches; its approval mode ${mode} allows ${quote(tool)}`,
    };
  }
  return {
    effect: "ask_user",
    reason: `No rule of ${file} matches ${quote(tool)}; its approval mode ${mode} asks`,
  };
}

/** Compiles one pattern as Radium reads it: `*` matches any text, and there are no alternatives or braces. Throws {@link PatternError}. */
function compileRadiumGlob(pattern: string): readonly Glob[] {
  if (pattern.includes("***")) {
    throw new PatternError(`${quote(pattern)} has \`***\`. Write \`*\` or \`**\``);
  }
  const parts = pattern.split("**");
  for (const [at, part] of parts.entries()) {
    const before = at === 0 || part === "" || part.startsWith("/");
    const after = at === parts.length - 1 || part === "" || part.endsWith("/");
    if ((at > 0 && !before) || (at < parts.length - 1 && !after)) {
      throw new PatternError(`\`**\` in ${quote(pattern)} must stand alone between two slashes`);
    }
  }
  if (parts.length > 9)
    throw new PatternError(`${quote(pattern)} has ${parts.length - 1} \`**\`; the limit is 8`);
  // `**/` matches any number of path segments, even none.
  let variants = [""];
  const pieces = pattern.split("**/");
  for (const [at, piece] of pieces.entries()) {
    variants =
      at === 0 ? [piece] : variants.flatMap((variant) => [variant + piece, `${variant}*/${piece}`]);
  }
  return variants.map((variant) =>
    compileCaretGlob(variant.replaceAll("\\", "\\\\").replaceAll("**", "*")),
  );
}
