import type { HookAnswer } from "./protocol.ts";

// Codex runs the call after any exit code but 0.
const DENIES_AS_JSON: ReadonlySet<string> = new Set(["codex"]);

/** The answer of a host's hook that could not decide. It keeps the call from running. */
export function faultOf(host: string, reason: string): HookAnswer {
  const text = `Bylaw could not judge this: ${reason}`;
  if (!DENIES_AS_JSON.has(host)) return { stdout: "", stderr: `${text}\n`, exit: 2 };
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: text,
  };
  return { stdout: JSON.stringify({ hookSpecificOutput }), stderr: "", exit: 0 };
}

/** Whether the host will read this as an answer. Otherwise it may run the call. */
export function isAnswer(
  host: string,
  answer: Readonly<Record<keyof HookAnswer, unknown>>,
): answer is HookAnswer {
  const { stdout, stderr, exit } = answer;
  if (typeof stdout !== "string" || typeof stderr !== "string") return false;
  if (exit !== 0) return exit === 2 && stderr.trim() !== "" && !DENIES_AS_JSON.has(host);
  try {
    const value: unknown = JSON.parse(stdout);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
