import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { ApprovalMode, ToolCall } from "@bylaw/kernel";
import { argsFrom, callOf, type CallDefaults } from "./call.ts";
import { quote } from "@bylaw/wording";
import { shellWord } from "../io/shell-word.ts";
import { usageError } from "../io/report-error.ts";
import type { KernelSourceOptions } from "./kernel-source.ts";

/** The command-line options that describe a call. */
export interface CallOptions extends KernelSourceOptions {
  readonly tool?: string;
  readonly args?: string;
  readonly server?: string;
  readonly agent?: string;
  readonly phase?: string;
  readonly cwd?: string;
  readonly approvalMode?: ApprovalMode;
  readonly interactive: boolean;
  readonly json?: boolean;
}

/** The defaults for every call, from the options. */
export function defaultsFrom({
  server,
  agent,
  phase,
  cwd,
  approvalMode,
  interactive,
}: CallOptions): CallDefaults {
  return {
    ...(server === undefined ? {} : { server }),
    ...(agent === undefined ? {} : { agent }),
    ...(phase === undefined ? {} : { phase }),
    ...(approvalMode === undefined ? {} : { approval_mode: approvalMode }),
    cwd: resolve(cwd ?? "."),
    ...homeOf(),
    interactive,
  };
}

// A relative home would depend on the working directory, which somebody else may have chosen.
function homeOf(): { readonly home?: string } {
  try {
    const home = homedir();
    return isAbsolute(home) ? { home } : {};
  } catch {
    return {};
  }
}

/** The options with a shell command that was given in words. Throws BYLAW_USAGE_INVALID without `--`, or if the options name a call too. */
export function withWords<Options extends CallOptions>(
  words: readonly string[],
  options: Options,
): Options {
  const [line = "", ...more] = words;
  if (words.length === 0) return options;
  // Without `--`, the word may be a misspelt option.
  if (!process.argv.includes("--"))
    throw usageError(
      `Too many arguments: ${quote(line)}`,
      "Write a shell command behind `--`, as in `-- git status`",
    );
  if (options.tool !== undefined || options.args !== undefined)
    throw usageError("A shell command cannot be given with `--tool` or `--args`");
  const command = more.length === 0 ? line : words.map(shellWord).join(" ");
  return { ...options, tool: "bash", args: JSON.stringify({ command }) };
}

/** The call that the options describe. Throws BYLAW_USAGE_INVALID if they describe none; `flags` names the missing options in the message. */
export function callFrom(options: CallOptions, flags: string): ToolCall {
  const { tool, args = "{}" } = options;
  if (tool === undefined) throw usageError(`No call was given. Use ${flags}.`);
  return callOf({ tool, args: argsFrom(args, "--args") }, defaultsFrom(options));
}
