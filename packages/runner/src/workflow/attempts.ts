import { killByEnvironment } from "@bylaw/process";
import { tryStep, type Attempt } from "../step/attempt.ts";
import { watchControl } from "../step/watch-control.ts";
import type { NextAction, Start } from "./next-action.ts";
import type { WorkflowOptions } from "./options.ts";
import { draft, json, record } from "./record.ts";
import { clearControl, controlFileOf, takeRequest } from "./request.ts";

/**
 * Begins steps in parallel and waits for all of them. Throws what the run throws, and the reason of an aborted signal.
 */
export async function start(options: WorkflowOptions, starts: readonly Start[]): Promise<void> {
  for (const one of starts) await prepare(options, one);
  const agentOf = ({ step, fallback }: Start): string | null =>
    fallback ? step.fallback : step.agent;
  await record(
    options,
    starts.map((one) => {
      const { step, index, next: after, visit, attempt, fallback } = one;
      return draft("step_started", agentOf(one), {
        step: step.id,
        index,
        next: after,
        visit,
        attempt,
        fallback,
        definition: options.definition,
      });
    }),
  );
  const results = await Promise.allSettled(
    starts.map(async (one) => {
      const { step, attempt, visit, fallback } = one;
      const { ended, output, print } = await tried(options, {
        step,
        agent: agentOf(one),
        own: !fallback,
        attempt,
        visit,
      });
      await record(options, [
        draft("step_completed", agentOf(one), {
          step: step.id,
          attempt,
          ...json(ended),
          output,
          print,
        }),
      ]);
    }),
  );
  // Wait for all of them before the first failure is thrown.
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Runs an agent that was called. Throws like {@link start}. */
export async function call(
  options: WorkflowOptions,
  move: Extract<NextAction, { readonly do: "call" }>,
): Promise<void> {
  const { activeStep, agent, attempt, step } = move;
  await prepare(options, { step, attempt });
  await record(options, [
    draft("call_started", agent, { step: step.id, agent, attempt, definition: options.definition }),
  ]);
  const { ended } = await tried(options, {
    step,
    agent,
    own: false,
    attempt,
    visit: activeStep.visit,
  });
  await record(options, [
    draft("call_completed", agent, { step: step.id, agent, attempt, ...json(ended) }),
  ]);
}

// Ends what is left of an earlier attempt, and removes its unread request, so that it is not taken
// for one of this attempt.
async function prepare(
  options: WorkflowOptions,
  { step, attempt }: Pick<Start, "step" | "attempt">,
): Promise<void> {
  const file = controlFileOf(options, step);
  if (attempt > 1)
    killByEnvironment({
      BYLAW_RUN: options.run.run,
      BYLAW_STEP: step.id,
      BYLAW_CONTROL_FILE: file,
    });
  await clearControl(options, step);
}

async function tried(options: WorkflowOptions, work: Omit<Attempt, "controlFile">) {
  const controlFile = controlFileOf(options, work.step);
  const watch = watchControl(controlFile, () => takeRequest(options, work.step, "meanwhile"));
  try {
    return await tryStep(options, { ...work, controlFile });
  } finally {
    await watch.close();
  }
}
