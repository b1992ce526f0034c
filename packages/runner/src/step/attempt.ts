import { parseJson } from "@bylaw/config";
import { BylawError, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { fillPlaceholders, type Placeholders } from "../template/placeholders.ts";
import type { Invocation, Step, Template } from "../template/template.ts";
import type { StepFunction, StepProgress, WorkflowOptions } from "../workflow/options.ts";
import { progressOf } from "../workflow/progress.ts";
import { workflowState } from "../workflow/state/projection.ts";
import { stepEnvironment } from "./environment.ts";
import { runCommand, type ProgramResult } from "./run-command.ts";

export interface Attempt {
  readonly step: Step;
  /** The agent that works: that of the step, its fallback, or one that was called. */
  readonly agent: string | null;
  /** Whether this is the step's own work, for which the step may define what runs. */
  readonly own: boolean;
  readonly attempt: number;
  readonly visit: number;
  readonly controlFile: string;
}

export interface AttemptResult {
  readonly ended: ProgramResult;
  /** The output that it passes on, if any. */
  readonly output: Json;
  /** For a program without an agent: a digest of its exit code and what it printed, without times. */
  readonly print: string | null;
}

/** The most characters of a step's output that are kept for conditions. */
const MAX_JSON = 65_536;

/**
 * Runs one attempt to its end. Throws the reason of an aborted signal. Every other failure is an end that is not `ok`.
 */
export async function tryStep(options: WorkflowOptions, attempt: Attempt): Promise<AttemptResult> {
  const { step, own, agent } = attempt;
  const invocation = invocationOf(options.template, attempt);
  if (invocation === null)
    return { ...NOT_TRIED, ended: failure(0, `The agent \`${String(agent)}\` has no command`) };
  if ("function" in invocation) return callFunction(options, attempt, invocation.function);
  const { ended, text, printed } = await program(options, attempt, invocation.command);
  const print = own && agent === null ? printOf(ended.exit_code, printed) : null;
  if (!own || step.output === "text" || !ended.ok) return { ended, output: null, print };
  try {
    if (text === null || text.length > MAX_JSON)
      throw new Error(
        `The output has more than ${MAX_JSON} characters; it must be a short JSON value`,
      );
    return { ended, output: parseJson(text), print };
  } catch (error) {
    return {
      ended: { ...ended, ok: false, error: messageOf(error).slice(0, 500) },
      output: null,
      print,
    };
  }
}

/** The program or function of an attempt. `null` if none is defined. */
function invocationOf(
  { agents }: Template,
  { step, agent, own }: Pick<Attempt, "step" | "agent" | "own">,
): Invocation | null {
  const said = own ? step.run : null;
  return (
    said ?? (agent !== null && Object.hasOwn(agents, agent) ? (agents[agent]?.run ?? null) : null)
  );
}

function promptOf(
  { template: { agents }, preface, run }: WorkflowOptions,
  { step, agent }: Attempt,
): string {
  const own = agent === null || !Object.hasOwn(agents, agent) ? "" : (agents[agent]?.prompt ?? "");
  const before = agent === null ? "" : (preface?.(agent) ?? "");
  const { advice } = run.view(workflowState);
  const said = advice === null ? "" : `Advice of the oversight of this workflow:\n${advice}`;
  return [before, own, step.prompt, said].filter((text) => text !== "").join("\n\n");
}

async function program(options: WorkflowOptions, attempt: Attempt, command: readonly string[]) {
  const { template, run, workspace, signal, onOutput } = options;
  const { step, agent } = attempt;
  const prompt = promptOf(options, attempt);
  const values: Placeholders = {
    prompt,
    run: run.run,
    session: run.session,
    step: step.id,
    agent: agent ?? "",
    attempt: String(attempt.attempt),
    visit: String(attempt.visit),
    control_file: attempt.controlFile,
    workspace,
  };
  const names = [...step.env, ...(agent === null ? [] : (template.agents[agent]?.env ?? []))];
  const who = {
    step: step.id,
    attempt: attempt.attempt,
    visit: attempt.visit,
    progress: progressIn(options, step),
  };
  const mcpServer = agent === null ? undefined : options.serveTools?.({ ...who, agent });
  const ran = runCommand({
    argv: command.map((text) => fillPlaceholders(text, values)),
    cwd: workspace,
    env: stepEnvironment(
      names,
      {
        BYLAW_RUN: values.run,
        BYLAW_SESSION: values.session,
        BYLAW_STEP: values.step,
        BYLAW_AGENT: values.agent,
        BYLAW_ATTEMPT: values.attempt,
        BYLAW_VISIT: values.visit,
        BYLAW_CONTROL_FILE: values.control_file,
        // The control file of the run, the same for all of its steps.
        BYLAW_CONTROL: options.controlFile,
        ...mcpServer?.env,
      },
      workspace,
    ),
    stdin: prompt,
    timeoutMs: step.timeout_seconds * 1_000,
    signal,
    onOutput: onOutput === undefined ? undefined : (name, text) => onOutput(step.id, name, text),
  });
  return ran.finally(() => mcpServer?.close());
}

const progressIn =
  ({ template, run }: WorkflowOptions, step: Step): StepProgress =>
  (reason) =>
    progressOf(template, run.view(workflowState), step, reason);

async function callFunction(
  options: WorkflowOptions,
  attempt: Attempt,
  name: string,
): Promise<AttemptResult> {
  const { functions = {}, run, signal } = options;
  const { step, agent, visit, controlFile } = attempt;
  const work: StepFunction | undefined = Object.hasOwn(functions, name)
    ? functions[name]
    : undefined;
  if (work === undefined)
    return { ...NOT_TRIED, ended: failure(0, `The host has no function \`${name}\``) };
  signal?.throwIfAborted();
  const began = performance.now();
  const late = AbortSignal.timeout(step.timeout_seconds * 1_000);
  const either = signal === undefined ? late : AbortSignal.any([late, signal]);
  const over = new Promise<never>((_, reject) => {
    either.addEventListener("abort", () => reject(either.reason as Error), { once: true });
  });
  try {
    const context = {
      run,
      step: step.id,
      agent,
      attempt: attempt.attempt,
      visit,
      prompt: promptOf(options, attempt),
      controlFile,
      progress: progressIn(options, step),
      signal: either,
    };
    const output = await Promise.race([work(context), over]);
    const kept = step.output === "json" && attempt.own ? freezeJson(output ?? null) : null;
    if (JSON.stringify(kept).length > MAX_JSON)
      throw new BylawError({
        code: "BYLAW_JSON_INVALID",
        message: "The output is too long; it must be a short JSON value",
      });
    const print = attempt.own && agent === null ? printOf(0, JSON.stringify(kept)) : null;
    return {
      ended: { ...failure(performance.now() - began, null), ok: true },
      output: kept,
      print,
    };
  } catch (error) {
    signal?.throwIfAborted();
    const said = messageOf(error).slice(0, 500);
    const print = attempt.own && agent === null ? printOf(1, said) : null;
    return {
      ended: { ...failure(performance.now() - began, said), timed_out: late.aborted },
      output: null,
      print,
    };
  }
}

const TIMES =
  // eslint-disable-next-line no-control-regex
  /\u001b\[[0-9;]*[A-Za-z]|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b|\b\d+(?:[.,]\d+)?\s?(?:ns|µs|ms|s|secs?|seconds?|mins?|minutes?|m|h)\b/g;

// Times and durations differ in every run and are no progress.
const printOf = (exit: number | null, text: string): string =>
  `sha256:${createHash("sha256")
    .update(`${exit}\n${text.replaceAll(TIMES, "")}`)
    .digest("hex")}`;

const NOT_TRIED = { output: null, print: null };

const NOTHING = { digest: `sha256:${createHash("sha256").digest("hex")}`, bytes: 0 };

const failure = (duration: number, error: string | null): ProgramResult => ({
  ok: false,
  exit_code: null,
  signal: null,
  timed_out: false,
  duration_ms: Math.round(duration),
  stdout: NOTHING,
  stderr: NOTHING,
  error,
});
