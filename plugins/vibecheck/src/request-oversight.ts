import { radiumKeywords, type RiskScorer } from "@bylaw/behavior";
import { BylawError, messageOf, type LogEvent } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { describeIssues, isBlank } from "@bylaw/wording";
import { oversightVerdict, type OversightVerdict } from "./verdict.ts";

/** The question to an oversight. */
export interface OversightRequest {
  /** The kind of work; it changes what the service looks at. */
  readonly kind: "planning" | "implementation" | "review";
  readonly goal: string;
  readonly plan: string;
  /** The agent's reason for asking. */
  readonly reason?: string;
  /** The agent that asked, or whose work it is. */
  readonly agent?: string;
  /** The agent's instructions. */
  readonly prompt?: string;
  readonly progress?: string;
  readonly uncertainties?: readonly string[];
  readonly history?: readonly string[];
  /** The rules of the run that the service must judge the plan by: data, each with its author. */
  readonly rules?: readonly OversightRule[];
  /** How many more rules there are, which did not fit. */
  readonly rules_left_out?: number;
}

/** A rule as shown to an oversight. */
export interface OversightRule {
  readonly id: number;
  readonly tier: "operator" | "agent";
  readonly by: string;
  readonly rule: string;
}

/** A reviewer of the agent's plan: a function, a model or a service. Its result must fit {@link OversightVerdict} exactly. */
export interface OversightService {
  readonly name: string;
  readonly ask: (request: OversightRequest, signal: AbortSignal) => Promise<unknown>;
}

export interface OverseeOptions {
  readonly agent: string | null;
  readonly task: string | null;
  readonly request: OversightRequest;
  /** In milliseconds. Default: 60,000. */
  readonly timeout_ms?: number;
  /** Ends the wait early. The failure is still recorded. */
  readonly signal?: AbortSignal;
}

/** The result of asking; `verdict` is undefined if the service failed. */
export interface Oversight {
  readonly verdict: OversightVerdict | undefined;
  readonly events: readonly LogEvent[];
}

/** Asks a service, and records its verdict or its failure; a failure never counts as low risk. Throws what the run throws. */
export async function requestOversight(
  run: Run,
  service: OversightService,
  { agent, task, request, timeout_ms = 60_000, signal }: OverseeOptions,
): Promise<Oversight> {
  const put = (event_type: string, details: LogEvent["details"]): Promise<readonly LogEvent[]> =>
    run.record([
      { event_type, agent_id: agent, task_id: task, details: { by: service.name, ...details } },
    ]);
  let verdict: OversightVerdict;
  try {
    verdict = verdictIn(await answered(service, request, { timeout_ms, signal }));
  } catch (error) {
    return {
      verdict: undefined,
      events: await put("oversight_failed", {
        error: messageOf(error).slice(0, 500) || "no reason given",
      }),
    };
  }
  return { verdict, events: await put("oversight_given", { verdict }) };
}

function verdictIn(answer: unknown): OversightVerdict {
  const parsed = oversightVerdict.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Error(`The verdict cannot be used: ${describeIssues(parsed.error, "it")}`);
}

async function answered(
  service: OversightService,
  request: OversightRequest,
  { timeout_ms, signal }: { readonly timeout_ms: number; readonly signal: AbortSignal | undefined },
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeout_ms);
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  const late = new Promise<never>((_, reject) => {
    const end = (): void =>
      reject(
        new Error(timeout.aborted ? `No answer within ${timeout_ms} ms` : "The wait was ended"),
      );
    if (ended.aborted) end();
    else ended.addEventListener("abort", end, { once: true });
  });
  return Promise.race([service.ask(request, ended), late]);
}

/** A service that answers in prose, with a scorer that turns it into a verdict. Empty prose is a failure. */
export function proseOversight(
  name: string,
  ask: (request: OversightRequest, signal: AbortSignal) => Promise<string>,
  score: RiskScorer = radiumKeywords,
): OversightService {
  return {
    name,
    async ask(request, signal) {
      const advice = await ask(request, signal);
      if (typeof advice !== "string" || isBlank(advice)) throw new Error("The advice is empty");
      const { risk, traits } = score(advice);
      return { risk, advice: advice.slice(0, 4_000), traits, uncertainties: questionsIn(advice) };
    },
  };
}

const questionsIn = (advice: string): readonly string[] =>
  (advice.match(/[^.?!\n]{3,499}\?/g) ?? [])
    .slice(0, 10)
    .map((question) => question.trim())
    .filter((question) => question !== "");

/** The longest answer that is read, in bytes. */
const MAX_ANSWER_LENGTH = 262_144;

/**
 * A service over HTTP: the request is posted as JSON, and the verdict is the JSON response, at most 262,144 bytes. Throws
 * BYLAW_URL_INVALID unless the address begins with `http://` or `https://` and has no user and no password, which the log would
 * record.
 */
export function httpOversight(
  url: string,
  { headers = {} }: { readonly headers?: Readonly<Record<string, string>> } = {},
): OversightService {
  const place = URL.parse(url);
  if (place === null || !["http:", "https:"].includes(place.protocol))
    throw new BylawError({
      code: "BYLAW_URL_INVALID",
      message: "The URL of an oversight must begin with `http://` or `https://`",
      fix: "Write it in full, such as `https://oversight.example/review`",
    });
  if (place.username !== "" || place.password !== "")
    throw new BylawError({
      code: "BYLAW_URL_INVALID",
      message: "The URL of an oversight must not contain a user or a password",
      fix: "Send what it asks for in `headers`",
    });
  return {
    name: place.host,
    async ask(request, signal) {
      const sent = {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(request),
        signal,
      };
      // Redirects are refused, because nobody configured their target.
      const response = await fetch(url, { ...sent, redirect: "error" });
      if (!response.ok) throw new Error(`The oversight answered with status ${response.status}`);
      return jsonIn(response);
    },
  };
}

async function jsonIn({ body }: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_LENGTH)
      throw new Error(`The oversight answered with more than ${MAX_ANSWER_LENGTH} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw new Error("The oversight did not answer with JSON");
  }
}
