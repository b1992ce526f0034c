import { defineProjection, isJsonObject, type Json, type LogEvent } from "@bylaw/kernel";

/** How often a step went back, and how often in a row without progress. */
export interface LoopCount {
  readonly iterations: number;
  /** The last progress that the host reported. No report means no progress. */
  readonly progress: string | null;
  /** How often in a row with that progress. */
  readonly same: number;
}

type Counters = Readonly<Record<string, LoopCount>>;

/** The counters of a run, by task and step. They are in the log, so counting continues after a crash and on another machine. */
export const loopCounters = defineProjection<Counters>({
  name: "@bylaw/plugin-loop/counters",
  version: 2,
  scope: "task",
  initial: {},
  reduce(state, event) {
    const directive = directiveOf(event);
    if (directive === undefined) return state;
    const { step, resets, progress } = directive;
    const ended = new Set(resets.map((inner) => keyOf(event.task_id, inner)));
    const kept = Object.keys(state).some((key) => ended.has(key))
      ? Object.fromEntries(Object.entries(state).filter(([key]) => !ended.has(key)))
      : state;
    if (step === null) return kept;
    const { iterations, same, progress: before } = countOf(state, event.task_id, step);
    const now = progress ?? before;
    return {
      ...kept,
      [keyOf(event.task_id, step)]: {
        iterations: iterations + 1,
        progress: now,
        same: now === before ? same + 1 : 1,
      },
    };
  },
});

/** The count of one step. */
export const countOf = (state: Counters, task: string | null, step: string): LoopCount => {
  const key = keyOf(task, step);
  return (
    (Object.hasOwn(state, key) ? state[key] : undefined) ?? {
      iterations: 0,
      progress: null,
      same: 0,
    }
  );
};

const keyOf = (task: string | null, step: string): string => JSON.stringify([task, step]);

// Only the run writes this type, and only plugins that the operator chose give directives. `step`: the step that went back, if any.
function directiveOf({ event_type, details }: LogEvent) {
  if (event_type !== "behavior_applied") return undefined;
  const directive: Json = details["directive"] ?? null;
  if (!isJsonObject(directive)) return undefined;
  const { action, step = null, resets = [], progress = null } = directive;
  const from = action === "loop" && typeof step === "string" ? step : null;
  if (from === null && action !== "continue") return undefined;
  return {
    step: from,
    resets: Array.isArray(resets)
      ? resets.filter((one): one is string => typeof one === "string")
      : [],
    progress: typeof progress === "string" ? progress : null,
  };
}
