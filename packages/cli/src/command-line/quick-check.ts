import { APPROVAL_MODES, type ApprovalMode } from "@bylaw/kernel";
import type { CheckOptions } from "../commands/check.ts";

const TEXTS = ["tool", "args", "server", "agent", "phase", "cwd", "batch", "config"] as const;
const URL = /^(?:file:|[a-z][a-z0-9+.-]+:\/\/)/i;

/**
 * Reads the words of `bylaw check` if all options are long, given once and separate from their values. Returns undefined for anything
 * else, including every mistake, which the full parser then handles. Hooks start this command for each call, and loading the full
 * parser takes as long as starting Node.
 */
export function quickCheck(argv: readonly string[]) {
  const [command, ...all] = argv;
  if (command !== "check") return undefined;
  const end = all.indexOf("--");
  const words = end < 0 ? all : all.slice(0, end);
  const line = end < 0 ? [] : all.slice(end + 1);
  const options = new Map<string, string | boolean | readonly string[]>([["interactive", true]]);
  for (let at = 0; at < words.length;) {
    const flag = words[at] ?? "";
    const values: string[] = [];
    for (at += 1; at < words.length && !isOption(words[at] ?? ""); at += 1)
      values.push(words[at] ?? "");
    const read = flag === "--no-interactive" ? NOBODY : readOption(flag, values);
    if (read === undefined || values.includes("")) return undefined;
    const [name, value] = read;
    if (options.has(name) && value !== false) return undefined;
    if (value === false && values.length > 0) return undefined;
    options.set(name, value);
  }
  return { line, options: Object.fromEntries(options) as unknown as CheckOptions };
}

// `-` alone is standard input.
const isOption = (word: string): boolean => word.startsWith("-") && word !== "-";

const NOBODY = ["interactive", false] as const;

function readOption(
  flag: string,
  values: readonly string[],
): readonly [string, string | boolean | readonly string[]] | undefined {
  const name = flag.slice(2);
  if (flag === "--json" || flag === "--explain")
    return values.length === 0 ? [name, true] : undefined;
  if (flag === "--policy")
    return values.length > 0 && !values.some((path) => URL.test(path)) ? [name, values] : undefined;
  const [value, second] = values;
  if (value === undefined || second !== undefined) return undefined;
  if (flag === "--approval-mode")
    return APPROVAL_MODES.includes(value as ApprovalMode) ? ["approvalMode", value] : undefined;
  const isPath = flag === "--batch" || flag === "--config";
  if (isPath && URL.test(value)) return undefined;
  return TEXTS.some((text) => flag === `--${text}`) ? [name, value] : undefined;
}
