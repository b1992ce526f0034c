import { resolve } from "node:path";
import { parseJson } from "@bylaw/config";
import { phaseGuide } from "@bylaw/contract";
import { BylawError, isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { currentPhases, phaseOf } from "@bylaw/log";
import { constitutionOf, rulesFor, hasOwnRules, publishedRules } from "@bylaw/plugin-constitution";
import { taskOf } from "@bylaw/plugin-tasks";
import {
  httpOversight,
  requestOversight,
  type OversightRequest,
  type OversightService,
} from "@bylaw/plugin-vibecheck";
import { programEnvironment, runProgram } from "@bylaw/process";
import type { Settings } from "../config/settings.ts";
import type { Service } from "../service/service.ts";

/** An oversight's answer about an agent. */
export interface Advice {
  /** 0 to 1; `null` if the oversight failed. */
  readonly risk: number | null;
  /** Its advice, or why it failed. */
  readonly advice: string;
  readonly by: string;
}

/** A request for oversight. */
export interface OversightQuestion {
  readonly agent: string;
  readonly task: string;
  readonly kind: OversightRequest["kind"];
  readonly reason: string | null;
  /** The sequence of the event that granted it. */
  readonly sequence: number;
}

/** The most past events that an oversight receives. */
const HISTORY = { read: 500, shown: 50 } as const;
/** The longest prompt that an oversight receives, in UTF-16 units. */
const PROMPT = 8_000;
/** The most events between a request and its recorded answer. */
const BETWEEN = 1_000;
/** The most bytes that a program may print. */
const PRINTED = 262_144;

/** Throws BYLAW_SETTINGS_INVALID or BYLAW_URL_INVALID for settings without a usable oversight. */
export function checkOversight({ oversight: { command, url } }: Settings): void {
  if (url === undefined) return;
  httpOversight(url);
  if (command.length === 0) return;
  throw new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: "`oversight.command` and `oversight.url` are both set, and only one is asked",
    fix: "Remove one of them.",
  });
}

/** Whether an oversight is configured. */
export const hasOversight = ({ oversight: { command, url } }: Settings): boolean =>
  command.length > 0 || url !== undefined;

/** The pending oversights, by the event that granted each. A repeated request waits for the first one. */
const UNDER_WAY = new WeakMap<Service["run"], Map<number, Promise<Advice | undefined>>>();

/** Asks the configured oversight once for each request, and records its answer. */
export async function askOversight(
  service: Service,
  question: OversightQuestion,
): Promise<Advice | undefined> {
  const { settings, run } = service;
  if (!hasOversight(settings)) return undefined;
  const asked = UNDER_WAY.get(run) ?? new Map<number, Promise<Advice | undefined>>();
  UNDER_WAY.set(run, asked);
  const { sequence } = question;
  const known = asked.get(sequence) ?? askOnce(service, question);
  asked.set(sequence, known);
  try {
    return await known;
  } finally {
    asked.delete(sequence);
  }
}

async function askOnce(service: Service, question: OversightQuestion): Promise<Advice | undefined> {
  const { settings, run, over: signal } = service;
  const given = await adviceAfter(service, question);
  if (given !== undefined) return given;
  const { agent, task } = question;
  const timeout_ms = settings.oversight.timeout_seconds * 1_000;
  const request = await requestOf(service, question);
  await requestOversight(run, serviceOf(settings), { agent, task, request, timeout_ms, signal });
  return adviceAfter(service, question);
}

/** The recorded answer. */
async function adviceAfter(
  { store, run }: Service,
  { agent, sequence }: OversightQuestion,
): Promise<Advice | undefined> {
  const events = await store.events(run.run, sequence, BETWEEN);
  const event = events.find(
    ({ event_type, agent_id }) =>
      (event_type === "oversight_given" || event_type === "oversight_failed") && agent_id === agent,
  );
  if (event === undefined) return undefined;
  const { by, error, verdict = null } = event.details;
  if (!isJsonObject(verdict)) return { risk: null, advice: String(error), by: String(by) };
  return { risk: Number(verdict["risk"]), advice: String(verdict["advice"]), by: String(by) };
}

async function requestOf(
  service: Service,
  { agent, task, kind, reason }: OversightQuestion,
): Promise<OversightRequest> {
  const { run, store, contract, kernel, now } = service;
  const events = await store.events(run.run, Math.max(0, run.head - HISTORY.read), HISTORY.read);
  const history = events
    .filter(({ task_id }) => task_id === task)
    .slice(-HISTORY.shown)
    .map(({ event_type, details }) => `${event_type}${factsOf(details)}`);
  const phase = phaseOf(run.view(currentPhases), task) ?? null;
  const own = hasOwnRules(kernel);
  const { rules, left_out } = publishedRules(rulesFor(constitutionOf(run, now()), agent, own));
  return {
    kind,
    goal: taskOf(run.view, task)?.title ?? task,
    plan: `Phases: ${contract.phases.map(({ id }) => id).join(", ")}`,
    prompt: phaseGuide(contract, phase).prompt.slice(0, PROMPT),
    progress: `In phase ${phase ?? "none"}`,
    agent,
    history,
    ...omitUndefined({ reason: reason ?? undefined }),
    uncertainties: reason === null ? [] : [reason],
    ...(rules.length === 0 ? {} : { rules, rules_left_out: left_out }),
  };
}

// Names and outcomes only, because arguments and texts may be long, and the log has them.
function factsOf(details: JsonObject): string {
  const facts = ["tool", "to", "action", "ok"].flatMap((name) => {
    const value = details[name];
    return value === undefined || typeof value === "object" ? [] : [` ${name}=${String(value)}`];
  });
  return facts.join("").slice(0, 200);
}

function serviceOf({
  workspace,
  oversight: { command, url, timeout_seconds },
}: Settings): OversightService {
  if (url !== undefined) return httpOversight(url);
  return {
    name: (command[0] ?? "").slice(-200),
    async ask(request, signal) {
      const cwd = process.cwd();
      const { exit_code, stdout, error } = await runProgram({
        argv: [...command],
        cwd,
        // An absolute path, because an agent may put a program of the same name into its folder.
        env: programEnvironment({ workspace: resolve(workspace) }),
        stdin: JSON.stringify(request),
        timeoutMs: timeout_seconds * 1_000,
        maxOutput: PRINTED,
        signal,
      });
      if (exit_code !== 0)
        throw new Error(error ?? `The oversight program ended with exit code ${String(exit_code)}`);
      return parseJson(stdout.text);
    },
  };
}
