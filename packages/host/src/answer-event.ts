import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type Decision, type ToolCall } from "@bylaw/kernel";
import type { AskOptions } from "@bylaw/log";
import type { Host, HostEvent, HostOutput, HostPlace, ToolReturn } from "./host.ts";
import { lowerDecision, lowerDenial, reasonOf, type Reply } from "./lower.ts";
import { takeOffer } from "./rewrite.ts";
import type { SessionEvent } from "./session-event.ts";

/** What became of a question that was held: the decision after it, or the reason of a person's no. */
export type HeldAnswer = { readonly decision: Decision } | { readonly refused: string };

/** Decides about the events of a host. */
export interface Judge {
  /** `offered`: the call is offered instead of another one, so it does not run unless a rule allows it. */
  readonly decide: (
    call: ToolCall,
    options?: Pick<AskOptions, "offered">,
  ) => Decision | Promise<Decision>;
  /**
   * Records a question of a host that cannot ask a person. Resolves to the decision, and to the command with which a person
   * answers. A call that a person approved is allowed once.
   */
  readonly record: (
    call: ToolCall,
  ) => Promise<{ readonly decision: Decision; readonly answer_with: string }>;
  /** Waits for a person's answer about a call. Resolves to undefined if nobody answers in time. Left out: nothing is held. */
  readonly hold?: ((call: ToolCall) => Promise<HeldAnswer | undefined>) | undefined;
  /**
   * Records the result of a call, for rules that depend on earlier calls. Resolves to the reason why this call was not allowed to run.
   * Undefined if it was.
   */
  readonly result: (returned: ToolReturn) => Promise<string | undefined>;
  /** Records what happened in a session besides calls. */
  readonly sessionEvent: (event: SessionEvent) => Promise<void>;
  /** The reason why the host would stop asking Bylaw after a change of settings. Undefined if it would not. */
  readonly settingsFault: (changed: string | undefined) => string | undefined;
  /** The reason why the agent is not done yet. Undefined if it may stop. */
  readonly stop: (event: HostEvent & { readonly kind: "stop" }) => Promise<string | undefined>;
}

/** The options of {@link answerEvent}. */
export interface AnswerOptions {
  readonly host: Host;
  readonly place: HostPlace;
  readonly judge: Judge;
  /** Whether to ask about calls that no rule covers. */
  readonly strict: boolean;
  /** The name of the event on the command line, for hosts whose input does not name it. */
  readonly named?: string | undefined;
}

/** Answers one event of a host, given as JSON text. Never throws: an event that cannot be judged is refused. */
export async function answerEvent(text: string, options: AnswerOptions): Promise<HostOutput> {
  const { host, place, named } = options;
  try {
    const input = parseJson(text);
    if (!isJsonObject(input))
      throw new BylawError({
        code: "BYLAW_HOST_EVENT_INVALID",
        message: "The event is not a JSON object",
      });
    const event = host.read(input, place, named);
    if (event.kind === "session_event") return await recorded(event, options);
    return host.answer(event, await replyTo(event, options));
  } catch (error) {
    return answerUnjudged(host, error);
  }
}

/** The answer to an event that could not be judged. */
export const answerUnjudged = (host: Host, error: unknown): HostOutput =>
  host.fault(`Bylaw could not judge this: ${messageOf(error) || "unknown error"}`);

// Never refused, because it runs nothing. If it cannot be recorded, neither can the calls of the session, which are then denied.
async function recorded(event: SessionEvent, { host, judge }: AnswerOptions): Promise<HostOutput> {
  const output = host.answer(event, { kind: "none" });
  try {
    await judge.sessionEvent(event);
    return output;
  } catch (error) {
    return { ...output, stderr: `Bylaw could not record this: ${messageOf(error)}\n` };
  }
}

async function replyTo(
  event: Exclude<HostEvent, SessionEvent>,
  { host, judge, strict }: AnswerOptions,
): Promise<Reply> {
  switch (event.kind) {
    case "tool_call":
      // With an id even where the host gives none, so that both decisions about a changed call are on record under one.
      return await replyToCall(
        { ...event.call, id: event.call.id ?? crypto.randomUUID(), hook: "beforeToolCall" },
        { host, judge, strict },
      );
    case "tool_result":
      return refusal(await judge.result(event));
    case "settings_change":
      return refusal(judge.settingsFault(event.file));
    case "stop":
      return refusal(await judge.stop(event));
    case "other":
      return { kind: "none" };
  }
}

const refusal = (reason: string | undefined): Reply =>
  reason === undefined ? { kind: "none" } : { kind: "deny", reason };

async function replyToCall(
  call: ToolCall,
  { host, judge, strict }: Omit<AnswerOptions, "place" | "named">,
): Promise<Reply> {
  const { capabilities } = host;
  const decision = await judge.decide(call);
  const { rewrites } = capabilities;
  const taken =
    rewrites === "all" || rewrites.includes(call.tool)
      ? await takeOffer(call, decision, (offered) => judge.decide(offered, { offered: true }))
      : { decision };
  if (taken.call !== undefined)
    return { kind: "rewrite", args: taken.call.args, reason: reasonOf(decision) };
  const reply = lowerDecision(taken.decision, capabilities, { strict });
  if (reply.kind !== "ask") return reply;
  const held = await judge.hold?.(call);
  if (held !== undefined) return replyToHeld(held, host);
  return capabilities.ask === "asks" ? reply : await asked(call, judge, host);
}

function replyToHeld(held: HeldAnswer, { capabilities }: Host): Reply {
  if ("refused" in held) return { kind: "deny", reason: held.refused };
  const { decision } = held;
  if (decision.applied !== "allow") return lowerDenial(decision, capabilities);
  return capabilities.allow ? { kind: "allow", reason: reasonOf(decision) } : { kind: "none" };
}

// A host must never be told to ask if it would then run the call or wait forever.
async function asked(call: ToolCall, judge: Judge, host: Host): Promise<Reply> {
  const { decision, answer_with } = await judge.record({ ...call, interactive: false });
  if (decision.applied === "allow") {
    const reason = reasonOf(decision);
    return host.capabilities.allow ? { kind: "allow", reason } : { kind: "none" };
  }
  const reason = reasonOf(decision);
  return decision.code === "approval_unavailable" || decision.code === "approval_expired"
    ? { kind: "deny", reason: `${reason} A person can approve it: ${answer_with}. Then try again.` }
    : lowerDenial(decision, host.capabilities);
}
