import { deny, type JsonObject, type Subject, type ToolCall, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { timeOf } from "@bylaw/log";
import type { Claims } from "./claims.ts";
import { currentTokens, standingOf } from "./standing.ts";

/** What a caller needs to be told, by code. */
export const CODES = {
  token_missing: "no token came with the request",
  token_malformed: "the text is no token",
  token_key_unknown: "the token names a key that is not known here, or no longer",
  token_forged: "the signature is not that of the key",
  token_not_yet_valid: "the token holds from a later time on",
  token_expired: "the token's time is over",
  token_undated: "nobody says what time it is, so no token can be held against it",
  token_other_run: "the token is of another run",
  token_other_task: "the token is of another task",
  token_other_agent: "the token is of another agent",
  token_other_contract: "the token was issued under another contract",
  token_other_session: "the token was issued in another session of the run",
  token_other_phase: "the task is in another phase than the token",
  token_superseded: "the task moved on, or has a newer token, or the token was revoked",
  token_tool: "the token does not name the tool",
} as const;

type Code = keyof typeof CODES;

export interface CheckOptions {
  readonly contract: string | null;
  readonly tolerance_ms: number;
  /** Whether a token holds for its session alone. */
  readonly session: boolean;
  /** Whether the contract lets a transition be asked for without a token. */
  readonly waives: (from: string | undefined, to: string) => boolean;
}

/** Judges what was prepared of a token by the subject and the log. Pure. */
export function checkToken(
  subject: ToolCall | Transition,
  view: View,
  prepared: JsonObject | undefined,
  { contract, tolerance_ms, session, waives }: CheckOptions,
): Verdict | undefined {
  const fault = prepared === undefined ? "token_missing" : prepared["fault"];
  if (fault === "token_missing" && subject.hook === "onTransition" && waives(subject.from, subject.to)) return undefined;
  if (fault !== undefined) return refuse(fault as Code);
  const claims = prepared?.["claims"] as unknown as Claims;
  const at = timeOf(subject.at ?? "");
  if (Number.isNaN(at)) return refuse("token_undated");
  if (at + tolerance_ms < claims.nbf * 1_000) return refuse("token_not_yet_valid");
  if (at - tolerance_ms >= claims.exp * 1_000) return refuse("token_expired");
  if (subject.run !== claims.run) return refuse("token_other_run");
  if (subject.task !== claims.task_id) return refuse("token_other_task");
  if (subject.agent !== claims.agent) return refuse("token_other_agent");
  if (contract !== claims.contract) return refuse("token_other_contract");
  if (session && (claims.session === undefined || subject.session !== claims.session)) return refuse("token_other_session");
  // Without a log there is nothing that a token could have been overtaken by.
  if (view.empty !== true && standingOf(view(currentTokens), claims.task_id) !== claims.jti) return refuse("token_superseded");
  const phase = subject.hook === "onTransition" ? subject.from : subject.phase;
  if ((phase ?? null) !== claims.phase) return refuse("token_other_phase");
  if (subject.hook === "beforeToolCall" && !claims.allowed_tools.includes(subject.tool)) return refuse("token_tool");
  return undefined;
}

const FIX: Partial<Readonly<Record<Code, string>>> = {
  token_missing: "claim the task, and send the token that comes with it",
  token_expired: "ask for a new token",
  token_superseded: "use the newest token of the task",
  token_tool: "use one of the tools that the token names, or move on to a phase that allows this one",
};

const refuse = (code: Code): Verdict => deny(`Unexpected token: ${CODES[code]}`, FIX[code] ?? "claim the task again", { code });

/** The text of the token that a host was handed. */
export function tokenIn({ host }: Subject): string | undefined {
  const token = host?.["token"];
  return typeof token === "string" && token !== "" ? token : undefined;
}
