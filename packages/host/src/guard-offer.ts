import {
  BylawError,
  canonicalJson,
  freezeJson,
  messageOf,
  type Decision,
  type Json,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import type { Outcome, Run } from "@bylaw/log";
import { isAllowedByRule } from "@bylaw/log/allowed-by-rule";
import { takeOffer } from "./rewrite.ts";

type Call = Omit<ToolCall, "hook"> & { readonly id: string };

/** A decision about a call in a run. */
interface DecidedCall {
  readonly run: Pick<Run, "toolCall">;
  readonly call: Call;
  readonly outcome: Outcome;
  /** The name under which the call was first asked about. */
  readonly request_id: string;
}

/** The call to run instead, or the decision about the first call and what it leads to. */
type Taken =
  | { readonly call: Pick<ToolCall, "args"> }
  | {
      readonly call?: undefined;
      readonly decision: Decision;
      readonly applied: Outcome["applied"];
    };

/** Asks about the call that a decision offers, which may run if a rule allows it. */
export async function changedCall(given: DecidedCall): Promise<Taken> {
  const { run, call, outcome } = given;
  let { applied } = outcome;
  if (isUnreadable(outcome)) return { decision: outcome.decision, applied: "deny" };
  const taken = await takeOffer(call, outcome.decision, async (offered) => {
    const second = await firstDecision(given, offered);
    const ranInstead = isAllowedByRule(second.decision);
    // If nothing ran instead, a person may have seen the question, so nothing may run instead later either.
    if (second.replayed !== true || (applied === "ask_user" && !ranInstead)) return second.decision;
    // No person saw the question, so nobody may answer it now.
    applied = "deny";
    return (await run.toolCall(offered, { offered: true })).decision;
  });
  return taken.call === undefined ? { ...taken, applied } : taken;
}

/** Whether no person was asked a recorded question, because another call was to run instead. Also if the log no longer tells. */
export async function isSettled(given: DecidedCall): Promise<boolean> {
  const { call, outcome } = given;
  if (isUnreadable(outcome)) return true;
  const taken = await takeOffer(call, outcome.decision, async (offered) => {
    return (await firstDecision(given, offered)).decision;
  });
  return taken.call !== undefined;
}

/** The first decision about an offered call, in whichever process it was made. */
function firstDecision({ run, request_id }: DecidedCall, offered: Call): Promise<Outcome> {
  // Under a name of its own, so that a person's answer does not find it: nobody is asked about an offered call.
  const name = canonicalJson(["instead", request_id]);
  return run.toolCall(offered, { request_id: name, offered: true });
}

// An offer from the log may lack what a redactor took out.
const isUnreadable = ({ replayed, decision: { instead }, events }: Outcome): boolean =>
  replayed === true &&
  instead !== undefined &&
  events.some(({ details }) => Array.isArray(details["redacted"]));

/**
 * Throws BYLAW_TOOL_REFUSED unless a tool accepts the arguments that a rule offers as they are. `parse` is the tool's own check: it
 * throws, or returns the arguments for the tool.
 */
export async function checkOffered(
  args: JsonObject,
  parse: (args: JsonObject) => unknown,
): Promise<void> {
  let why = "it would change them";
  try {
    // What runs must be what was judged.
    if (canonicalJson(freezeJson(await parse(args)) as Json) === canonicalJson(args)) return;
  } catch (error) {
    why = messageOf(error);
  }
  throw new BylawError({
    code: "BYLAW_TOOL_REFUSED",
    message: `The tool does not accept the arguments that a rule offers instead: ${why}`,
  });
}
