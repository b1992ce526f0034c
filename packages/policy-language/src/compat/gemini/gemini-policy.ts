import { isJsonObject, type Effect, type ToolCall, type Verdict } from "@bylaw/kernel";
import { analyze } from "@bylaw/shell";
import type { CompatPolicy } from "../compat-policy.ts";
import { quote } from "../../load/finding.ts";
import { fitsPart, fitsWhole, partsOf, type Part } from "./gemini-part.ts";
import type { GeminiRule } from "./gemini-rule.ts";
import { geminiTool, type GeminiTool } from "./gemini-tool.ts";
import { baseName } from "../../compile/program-name.ts";
import { TOO_LARGE } from "../../decide/unknown-votes.ts";
import {
  HARMLESS_BESIDE_A_LINE,
  WORKING_FOLDERS,
  type ToolTable,
} from "../../compile/tool-table.ts";

/** The settings of a file with `compat = "gemini"`. */
export interface GeminiTop {
  readonly file: string;
  /** The effect for a call that no rule matches. Default: ask_user, or deny if no one can be asked. */
  readonly default: Effect | undefined;
  readonly tools: ToolTable;
}

/** Compiles the rules. They are tried by descending priority, then in the order of the file, and the first match decides. */
export function geminiPolicy(top: GeminiTop, given: readonly GeminiRule[]): CompatPolicy {
  const rules = given.toSorted((a, b) => b.priority - a.priority);
  // If a rule blocks or asks about specific commands, an unknown command may be one of them, so it is not allowed.
  const guarded = rules.some(({ effect, blanket }) => effect !== "allow" && !blanket);
  return {
    rules: rules.map(({ name, line, effect }) => ({ name, line, effect })),
    vote(call) {
      const tool = geminiTool(call, top.tools);
      const about = rules.filter((rule) => rule.inScope(call, tool));
      return new Evaluation(top, about, call, tool, { guarded }).vote();
    },
    matches(call, line) {
      const tool = geminiTool(call, top.tools);
      const text = lineOf(call, tool);
      const parts =
        text === undefined || tool.shell === undefined ? [] : partsOf(analyze(text), text);
      return rules.some(
        (rule) =>
          rule.line === line &&
          rule.inScope(call, tool) &&
          (fitsWhole(rule, call, text) ||
            parts.some((part) => fitsPart(rule, call, tool.shell ?? "", part))),
      );
    },
    without: (names) =>
      geminiPolicy(
        top,
        rules.filter(({ name }) => !names.has(name)),
      ),
  };
}

class Evaluation {
  readonly #top: GeminiTop;
  readonly #rules: readonly GeminiRule[];
  readonly #call: ToolCall;
  readonly #tool: GeminiTool;
  readonly #guarded: boolean;

  constructor(
    top: GeminiTop,
    rules: readonly GeminiRule[],
    call: ToolCall,
    tool: GeminiTool,
    { guarded }: { readonly guarded: boolean },
  ) {
    this.#top = top;
    this.#rules = rules;
    this.#call = call;
    this.#tool = tool;
    this.#guarded = guarded;
  }

  vote(): Verdict {
    const { kind } = this.#tool.identity;
    const line = lineOf(this.#call, this.#tool);
    const first = this.#rules.find(
      (rule) =>
        (rule.effect !== "allow" || kind !== "unresolved") && fitsWhole(rule, this.#call, line),
    );
    const verdict =
      this.#tool.shell === undefined
        ? (first?.verdict ?? this.#unmatched())
        : this.#shell(first, line, this.#tool.shell);
    if (verdict.effect !== "allow") return verdict;
    if (kind === "unresolved") return this.#unknownServer();
    const { args } = this.#call;
    return isJsonObject(args) && Object.hasOwn(args, "additional_permissions")
      ? asks("This call asks for additional permissions.")
      : verdict;
  }

  // The line decides first, then each of its commands. A command can only make the decision stricter.
  #shell(first: GeminiRule | undefined, line: string | undefined, argument: string): Verdict {
    if (line === undefined) {
      const verdict = first?.verdict ?? this.#unmatched();
      return verdict.effect === "allow"
        ? unknown(`the argument ${quote(argument)} is not text`)
        : verdict;
    }
    const analysis = analyze(line);
    const parts = partsOf(analysis, line);
    const redirected = parts.some(({ command }) => command.redirections.length > 0);
    let verdict =
      first === undefined
        ? this.#unmatched()
        : this.#allowed(first, { redirected, part: undefined });
    if (verdict.effect === "deny") return verdict;
    if (analysis.unknown.some(({ code }) => code === "size")) return TOO_LARGE;
    for (const part of parts) {
      const rule = this.#rules.find((one) => fitsPart(one, this.#call, argument, part));
      const found = this.#ofPart(rule, part);
      if (found.effect === "deny") return found;
      if (part.command.origin === "sight" && (rule === undefined || found.effect === "allow"))
        continue;
      if (verdict.effect === "allow") verdict = found;
    }
    if (verdict.effect !== "allow") return verdict;
    const [doubt] = analysis.unknown;
    if (doubt !== undefined) return unknown(doubt.what);
    const beside = first?.blanket === false ? this.#beside(argument) : undefined;
    return beside === undefined
      ? verdict
      : unknown(`the argument ${quote(beside)} may change what the command does`);
  }

  #ofPart(rule: GeminiRule | undefined, part: Part): Verdict {
    const verdict =
      rule === undefined
        ? this.#unmatched()
        : this.#allowed(rule, { redirected: part.command.redirections.length > 0, part });
    const [doubt] = part.command.unknown;
    return verdict.effect === "allow" && doubt !== undefined && this.#guarded
      ? unknown(doubt.what)
      : verdict;
  }

  // The verdict of a rule after gemini-cli's own downgrades from allow to ask_user.
  #allowed(
    rule: GeminiRule,
    { redirected, part }: { readonly redirected: boolean; readonly part: Part | undefined },
  ): Verdict {
    if (rule.effect !== "allow") return rule.verdict;
    const mode = this.#call.approval_mode ?? "ask";
    if (redirected && !rule.redirection && mode === "ask") {
      return asks(
        "This command redirects its output, and no rule with `allowRedirection = true` allows that.",
      );
    }
    if (rule.blanket && mode !== "yolo" && part !== undefined && isDangerous(part)) {
      return asks(
        `The command ${quote(part.texts[0] ?? "")} is dangerous, and no rule allows it by name.`,
      );
    }
    return rule.verdict;
  }

  #unmatched(): Verdict {
    const { approval_mode: mode, interactive } = this.#call;
    const name = quote(this.#call.tool);
    if (mode === "yolo")
      return {
        effect: "allow",
        reason: `No rule of ${this.#top.file} matches; the approval mode yolo allows ${name}`,
      };
    const effect = this.#top.default ?? (interactive === false ? "deny" : "ask_user");
    return {
      effect,
      reason: `No rule of ${this.#top.file} covers all of ${name}; the default is ${effect}`,
    };
  }

  #unknownServer(): Verdict {
    return {
      effect: "ask_user",
      code: "unknown_server",
      reason: `Cannot tell which server the tool ${quote(this.#call.tool)} belongs to.`,
      fix: "Let the host name the server in addition to the tool",
    };
  }

  #beside(argument: string): string | undefined {
    const { args } = this.#call;
    return Object.entries(isJsonObject(args) ? args : {}).find(
      ([name, value]) =>
        name !== argument &&
        name !== "additional_permissions" &&
        ((!HARMLESS_BESIDE_A_LINE.has(name) && !WORKING_FOLDERS.includes(name)) ||
          (typeof value === "object" && value !== null)),
    )?.[0];
  }
}

function lineOf({ args }: ToolCall, { shell }: GeminiTool): string | undefined {
  const line =
    shell !== undefined && isJsonObject(args) && Object.hasOwn(args, shell)
      ? args[shell]
      : undefined;
  return typeof line === "string" ? line : undefined;
}

// Whether a command does more than its name says, deletes, or makes a symbolic link that later writes can go through.
function isDangerous({ command: { hazards, effects, argv } }: Part): boolean {
  const [program = "", ...rest] = argv.map(({ text }) => text ?? "");
  return (
    hazards.length > 0 ||
    effects.some(({ kind }) => kind === "delete") ||
    (baseName(program) === "ln" &&
      rest.some((word) => /^-[a-z]*s/.test(word) || word === "--symbolic"))
  );
}

const asks = (reason: string): Verdict => ({ effect: "ask_user", reason });

const unknown = (what: string): Verdict => ({
  effect: "ask_user",
  code: "unknown_command",
  reason: `Cannot tell what this command line would do: ${what}`,
});
