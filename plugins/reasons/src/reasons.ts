import {
  definePlugin,
  deny,
  omitUndefined,
  type JsonObject,
  type Response,
  type Subject,
  type Verdict,
} from "@bylaw/kernel";
import { UNCOUNTED_REASONS, MAX_ATTEMPTS, agentTurns } from "@bylaw/log";
import { consensusState } from "@bylaw/consensus";
import manifest from "../package.json" with { type: "json" };
import { callsOf } from "./calls.ts";
import { HOST_EVENTS } from "./host-events.ts";
import type { Fault } from "./fault.ts";
import { isProgress, judge } from "./judge.ts";
import { reasonsOptions, type ReasonsOptions } from "./options.ts";
import { REASONS } from "./reason-codes.ts";
import { responseContext, type ResponseContext } from "./response-context.ts";
import { terminalIn } from "./terminal.ts";

/** Decides for every response whether it ends the turn properly, and if not, why and how the agent recovers. */
export const reasons = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: reasonsOptions,
  codes: Object.fromEntries(Object.entries(REASONS).map(([code, { means }]) => [code, means])),
  apply(kernel, options) {
    for (const type of HOST_EVENTS) kernel.event(type);
    kernel.projection(agentTurns);
    kernel.projection(consensusState);
    let recorded = false;
    kernel.onSeal(({ events }) => {
      recorded = events.some(({ name }) => name === "answer_accepted");
    });
    kernel.prepare("turn", (subject) => turnFacts(subject, options));
    kernel.hooks.onEnforcement.tap("response", (response, view) => {
      const standing = responseContext(response, view, recorded);
      const fault = judge(response, callsOf(response, options), standing, options);
      return fault === undefined ? undefined : verdictOf(fault, response, standing);
    });
  },
});

// The facts that are recorded with an accepted response.
function turnFacts(subject: Subject, options: ReasonsOptions): JsonObject | undefined {
  if (subject.hook !== "onEnforcement") return undefined;
  const calls = callsOf(subject, options);
  const terminal = terminalIn(subject, calls, options);
  const unknown_tools = calls.unknown.length > 0 ? calls.unknown.slice(0, 200) : undefined;
  const turn = omitUndefined({
    terminal,
    progress: isProgress(calls, undefined, options) || undefined,
    unknown_tools,
  });
  return Object.keys(turn).length === 0 ? undefined : { turn };
}

function verdictOf(
  { code, line, message = line, recovery = "restart" }: Fault,
  response: Response,
  { turn }: ResponseContext,
): Verdict {
  const { attempt = 1, max_attempts = MAX_ATTEMPTS } = response;
  // Even a free reason ends the turn if it is repeated too often without progress.
  const spent = UNCOUNTED_REASONS.has(code) ? turn.free + 1 : attempt;
  const last = recovery === "end" || spent >= max_attempts;
  const details = { code, message, recovery: last ? ("end" as const) : recovery };
  return deny(
    last
      ? `Failed (${attempt}/${max_attempts}): ${line}`
      : `Retry (${attempt}/${max_attempts}): ${line}`,
    undefined,
    details,
  );
}
