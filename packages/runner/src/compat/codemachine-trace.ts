import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";

/** A workflow of CodeMachine and what its agents wrote. */
export interface CodemachineCase {
  readonly steps: readonly JsonObject[];
  /**
   * What each step wrote at each visit, by the index of the step. The last entry repeats. A text is
   * the raw file; `<delete>` removes the file.
   */
  readonly writes: Readonly<Record<string, readonly Json[]>>;
  readonly onCheckpoint?: "continue" | "quit";
  /** Steps that an earlier run completed. */
  readonly completed?: readonly number[];
}

/** What happened, step by step. */
export interface CodemachineTrace {
  readonly trace: readonly JsonObject[];
  readonly errors: readonly string[];
  readonly counters: Readonly<Record<string, number>>;
}

interface Control {
  readonly action: Json;
  readonly reason: Json;
  readonly agent: Json;
}

/** The most steps that a workflow without a limit may take here. */
const MAX_STEPS = 10_000;

/**
 * A workflow as CodeMachine 0.7 ran it, including its bugs: a limit of 0 means no limit, a skip list names agents and
 * stays after its loop is over, `executeOnce` looks only at earlier runs, and an unreadable request is ignored. Pure.
 */
export function codemachineTrace({
  steps,
  writes,
  onCheckpoint = "continue",
  completed = [],
}: CodemachineCase): CodemachineTrace {
  const trace: JsonObject[] = [];
  const errors: string[] = [];
  const counters: Record<string, number> = {};
  const visits = new Map<number, number>();
  let skip = null as readonly string[] | null;
  for (let index = 0, taken = 0; index < steps.length && taken < MAX_STEPS; taken += 1) {
    const step = steps[index] ?? {};
    const here = index;
    index += 1;
    if (step["type"] !== "module") continue;
    const agent = String(step["agentId"]);
    if (skip?.includes(agent) === true) {
      trace.push({
        step: here,
        skipped: `${String(step["agentName"] ?? agent)} skipped (loop configuration).`,
      });
      continue;
    }
    if (step["executeOnce"] === true && completed.includes(here)) continue;
    const visit = (visits.get(here) ?? 0) + 1;
    visits.set(here, visit);
    const control = controlOf(writes[String(here)], visit);
    const module = isJsonObject(step["module"] ?? null) ? (step["module"] as JsonObject) : {};
    const behavior = isJsonObject(module["behavior"] ?? null)
      ? (module["behavior"] as JsonObject)
      : {};
    const entry: Record<string, Json> = { step: here, agent, visit };
    if (control.action === "trigger" && behavior["type"] === "trigger") {
      const target = [control.agent, behavior["triggerAgentId"]].find(
        (one) => typeof one === "string" && one !== "",
      );
      if (target === undefined) errors.push(NO_TARGET);
      else entry["trigger"] = target;
    }
    if (control.action === "checkpoint") {
      entry["checkpoint"] = control.reason;
      if (onCheckpoint === "quit") {
        trace.push({ ...entry, stopped: true });
        break;
      }
    }
    const back = loopBack(behavior, control, module["id"] ?? agent, here, counters);
    if (back !== undefined) {
      skip = back.skip;
      index = back.to;
      trace.push({ ...entry, loopTo: back.to, iteration: back.iteration, skip: back.skip });
    } else trace.push({ ...entry, activeSkipAfter: skip });
  }
  return { trace, errors, counters };
}

const NO_TARGET = "Trigger action requires triggerAgentId in behavior.json or module configuration";

// Where a loop sends the workflow, with its new count. `undefined` if it does not go back.
function loopBack(
  behavior: JsonObject,
  { action }: Control,
  id: Json,
  index: number,
  counters: Record<string, number>,
) {
  if (behavior["type"] !== "loop" || behavior["action"] !== "stepBack") return undefined;
  const { steps, maxIterations, skip } = behavior;
  const key = `${String(id)}:${index}`;
  const count = counters[key] ?? 0;
  const limit =
    typeof maxIterations === "number" && maxIterations > 0 ? Math.floor(maxIterations) : undefined;
  const over = limit !== undefined && count + 1 > limit;
  if (over || action === "stop") counters[key] = 0;
  if (over || action !== "loop") return undefined;
  counters[key] = count + 1;
  const to = Math.max(0, index - (typeof steps === "number" ? Math.max(1, Math.floor(steps)) : 1));
  return {
    to,
    iteration: count + 1,
    skip: Array.isArray(skip) ? skip.filter((one): one is string => typeof one === "string") : [],
  };
}

function controlOf(list: readonly Json[] | undefined, visit: number): Control {
  // CodeMachine writes `continue` before every step.
  const nothing: Control = { action: "continue", reason: null, agent: null };
  const written = list?.[Math.min(visit, list.length) - 1] ?? null;
  const value = typeof written === "string" ? parsed(written) : written;
  if (!isJsonObject(value)) return nothing;
  return {
    action: value["action"] ?? null,
    reason: value["reason"] ?? null,
    agent: value["triggerAgentId"] ?? null,
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
