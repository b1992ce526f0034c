import type { HookAnswer } from "./protocol.ts";

// Codex runs the call after any exit code but 0, so its denial must be JSON.
const DENIES_AS_JSON: ReadonlySet<string> = new Set(["codex"]);

/** The answer of a hook that could not decide. It blocks the call. */
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

/** The answer that leaves a call to the host's own permissions. */
export const NO_OPINION: HookAnswer = { stdout: "{}", stderr: "", exit: 0 };

/** Whether the host will accept this as an answer. Otherwise the host may run the call. */
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
