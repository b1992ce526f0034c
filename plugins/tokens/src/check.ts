import {
  deny,
  type JsonObject,
  type Subject,
  type ToolCall,
  type Transition,
  type Verdict,
  type View,
} from "@bylaw/kernel";
import type { Claims } from "./claims.ts";
import type { TokenSigner } from "./signer.ts";
import { currentTokenFault } from "./current-token.ts";

export const CODES = {
  token_missing: "This needs the token of the task",
  token_malformed: "This text is not a token",
  token_key_unknown: "The token was signed with a key that is not known here",
  token_forged: "The signature of the token is wrong",
  token_not_yet_valid: "The token is not valid yet",
  token_expired: "The token has expired",
  token_undated: "The time is not known, so the token cannot be checked",
  token_other_run: "The token is for another run",
  token_other_task: "The token is for another task",
  token_other_agent: "The token is for another agent",
  token_other_contract: "The token was issued under another contract",
  token_other_session: "The token was issued in another session of the run",
  token_other_phase: "The token is for another phase than the task is in",
  token_superseded:
    "The token is no longer valid: the task moved on, has a newer token, or the token was revoked",
  token_not_issued: "This token was never issued, although its signature is good",
  token_tool: "The token does not allow this tool",
} as const;

type Code = keyof typeof CODES;

export interface CheckOptions {
  readonly signer: Pick<TokenSigner, "contract" | "timeFault">;
  /** The result of a call outside its token's tools: a denial, a recorded warning, or nothing. */
  readonly scope: "enforced" | "shadow" | "off";
  /** Whether a token is only valid in its session. */
  readonly session: boolean;
  /** Whether the contract lets a transition be requested without a token. */
  readonly waives: (from: string | undefined, to: string) => boolean;
}

/** Judges the prepared token by the subject and the log. Pure. */
export function checkToken(
  subject: ToolCall | Transition,
  view: View,
  prepared: JsonObject | undefined,
  { signer, session, scope, waives }: CheckOptions,
): Verdict | undefined {
  const fault = prepared === undefined ? "token_missing" : prepared["fault"];
  if (
    fault === "token_missing" &&
    subject.hook === "onTransition" &&
    waives(subject.from, subject.to)
  )
    return undefined;
  if (fault !== undefined) return refuse(fault as Code);
  const claims = prepared?.["claims"] as unknown as Claims;
  const at = Date.parse(subject.at ?? "");
  if (Number.isNaN(at)) return refuse("token_undated");
  const untimely = signer.timeFault(claims, at);
  if (untimely !== undefined) return refuse(untimely);
  if (subject.run !== claims.run) return refuse("token_other_run");
  if (subject.task !== claims.task_id) return refuse("token_other_task");
  if (subject.agent !== claims.agent) return refuse("token_other_agent");
  if (signer.contract !== claims.contract) return refuse("token_other_contract");
  if (session && (claims.session === undefined || subject.session !== claims.session))
    return refuse("token_other_session");
  // Without a log, no newer token can be known.
  const unheld =
    view.empty === true ? undefined : currentTokenFault(view, claims, String(prepared?.["digest"]));
  if (unheld !== undefined) return refuse(unheld);
  const phase = subject.hook === "onTransition" ? subject.from : subject.phase;
  if ((phase ?? null) !== claims.phase) return refuse("token_other_phase");
  if (subject.hook !== "beforeToolCall" || claims.allowed_tools.includes(subject.tool))
    return undefined;
  if (scope === "off") return undefined;
  return scope === "shadow" ? { ...refuse("token_tool"), shadow: true } : refuse("token_tool");
}

const FIX: Partial<Readonly<Record<Code, string>>> = {
  token_missing: "Claim the task, and send the token from the answer.",
  token_expired: "Ask for a new token.",
  token_superseded: "Use the newest token of the task.",
  token_not_issued: "Tell an operator: the signing key may be stolen and must be replaced.",
  token_tool:
    "Use one of the tools that the token allows, or move on to a phase that allows this one.",
};

const refuse = (code: Code): Verdict =>
  deny(CODES[code], FIX[code] ?? "Claim the task again.", { code });

/** The text of the token that the host received. */
export function tokenIn({ host }: Subject): string | undefined {
  const token = host?.["token"];
  return typeof token === "string" && token !== "" ? token : undefined;
}
