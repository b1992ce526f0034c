import { parseJson } from "@bylaw/config";
import { BylawError, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { fill, type Placeholders } from "../template/placeholders.ts";
import type { Invocation, Step, Template } from "../template/template.ts";
import type { StepFunction, WorkflowOptions } from "../workflow/options.ts";
import { stepEnvironment } from "./environment.ts";
import { runCommand, type Ended } from "./run-command.ts";

/** What is tried. */
export interface Attempt {
  readonly step: Step;
  /** Who does it: the agent of the step, its fallback, or one that was called. */
  readonly agent: string | null;
  /** Whether it is the step's own work, for which the step may say what runs. */
  readonly own: boolean;
  readonly attempt: number;
  readonly visit: number;
  readonly controlFile: string;
}

/** Output of a step that is kept for conditions is at most so long, in characters. */
const MAX_JSON = 65_536;

/** Runs one attempt to its end. Throws the reason of an aborted signal; everything else is an end that is not `ok`. */
export async function tryStep(options: WorkflowOptions, attempt: Attempt): Promise<{ readonly ended: Ended; readonly output: Json }> {
  const { step, own } = attempt;
  const invocation = invocationOf(options.template, attempt);
  if (invocation === null)
    return { ended: failure(0, `Unexpected agent \`${String(attempt.agent)}\` without a command, expected one`), output: null };
  if ("function" in invocation) return callFunction(options, attempt, invocation.function);
  const { ended, text } = await program(options, attempt, invocation.command);
  if (!own || step.output === "text" || !ended.ok) return { ended, output: null };
  try {
    if (text === null || text.length > MAX_JSON)
      throw new Error(`Unexpected output of more than ${MAX_JSON} characters, expected a short JSON value`);
    return { ended, output: parseJson(text) };
  } catch (error) {
    return { ended: { ...ended, ok: false, error: messageOf(error).slice(0, 500) }, output: null };
  }
}

/** What is run for an attempt; `null` where nobody said it. */
function invocationOf({ agents }: Template, { step, agent, own }: Pick<Attempt, "step" | "agent" | "own">): Invocation | null {
  const said = own ? step.run : null;
  return said ?? (agent !== null && Object.hasOwn(agents, agent) ? (agents[agent]?.run ?? null) : null);
}

function promptOf({ agents }: Template, { step, agent }: Attempt): string {
  const own = agent === null || !Object.hasOwn(agents, agent) ? "" : (agents[agent]?.prompt ?? "");
  return [own, step.prompt].filter((text) => text !== "").join("\n\n");
}

async function program(options: WorkflowOptions, attempt: Attempt, command: readonly string[]) {
  const { template, run, workspace, signal, onOutput } = options;
  const { step, agent } = attempt;
  const prompt = promptOf(template, attempt);
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
  return runCommand({
    argv: command.map((text) => fill(text, values)),
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
      },
      workspace,
    ),
    stdin: prompt,
    timeoutMs: step.timeout_seconds * 1_000,
    signal,
    onOutput: onOutput === undefined ? undefined : (name, text) => onOutput(step.id, name, text),
  });
}

async function callFunction(
  options: WorkflowOptions,
  attempt: Attempt,
  name: string,
): Promise<{ readonly ended: Ended; readonly output: Json }> {
  const { functions = {}, run, template, signal } = options;
  const { step, agent, visit, controlFile } = attempt;
  const work: StepFunction | undefined = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (work === undefined) return { ended: failure(0, `Unexpected function \`${name}\`, expected one of the host`), output: null };
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
      prompt: promptOf(template, attempt),
      controlFile,
      signal: either,
    };
    const output = await Promise.race([work(context), over]);
    const kept = step.output === "json" && attempt.own ? freezeJson(output ?? null) : null;
    if (JSON.stringify(kept).length > MAX_JSON)
      throw new BylawError({ code: "BYLAW_JSON_INVALID", message: "Unexpected long output, expected a short JSON value" });
    return { ended: { ...failure(performance.now() - began, null), ok: true }, output: kept };
  } catch (error) {
    signal?.throwIfAborted();
    return { ended: { ...failure(performance.now() - began, messageOf(error).slice(0, 500)), timed_out: late.aborted }, output: null };
  }
}

const NOTHING = { digest: `sha256:${createHash("sha256").digest("hex")}`, bytes: 0 };

const failure = (duration: number, error: string | null): Ended => ({
  ok: false,
  exit_code: null,
  signal: null,
  timed_out: false,
  duration_ms: Math.round(duration),
  stdout: NOTHING,
  stderr: NOTHING,
  error,
});
