import type { Response, Subject, View } from "@bylaw/kernel";
import { MAX_ATTEMPTS, agentTurns, turnOf } from "./turns.ts";

/**
 * The round and attempt of a response: from the log if the host names none. A host can never give back an attempt that the log counts as
 * spent.
 */
export function attemptOf(subject: Subject, view: View): Partial<Response> {
  if (subject.hook !== "onEnforcement") return {};
  const { agent, round, attempt = 1, max_attempts = MAX_ATTEMPTS } = subject;
  // A malformed subject may hold anything here. It is refused later, unchanged.
  const turn = turnOf(view(agentTurns), typeof agent === "string" ? agent : "");
  const now = round ?? Math.max(1, turn.round);
  const spent = now > turn.round ? 0 : turn.attempts;
  return {
    round: now,
    attempt:
      Number.isSafeInteger(attempt) && attempt >= 1
        ? Math.max(attempt, Math.min(spent + 1, max_attempts))
        : attempt,
    max_attempts,
  };
}
