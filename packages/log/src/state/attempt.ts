import type { Response, Subject, View } from "@bylaw/kernel";
import { MAX_ATTEMPTS, agentTurns, turnOf } from "./turns.ts";

/**
 * The round and attempt of a response. Where the host says nothing, the log does; and no host can give an agent an attempt back
 * that the log says it has spent.
 */
export function attemptOf(subject: Subject, view: View): Partial<Response> {
  if (subject.hook !== "onEnforcement") return {};
  const { agent, round, attempt = 1, max_attempts = MAX_ATTEMPTS } = subject;
  // A subject that the border is going to refuse may hold anything, and stays what it is.
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
