import { defineProjection, isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { treeDrop, treeGet, treePut, type Tree } from "@bylaw/log";

/** The oversight state of an agent or task that is about to act. */
export interface OversightStatus {
  /** The highest risk since a person last acknowledged; asking again does not lower it. */
  readonly risk: number;
  /** Why the last oversight failed; `null`: it succeeded. */
  readonly failed: string | null;
  /** The advice given with that risk. */
  readonly advice: string | null;
  /** The number of calls since the last oversight. */
  readonly calls: number;
  /** Whether there was an oversight since the phase was entered. */
  readonly seen: boolean;
}

/** The findings of oversights about one agent at one task. */
interface Found extends JsonObject {
  readonly task: string | null;
  readonly agent: string | null;
  readonly risk: number;
  readonly failed: string | null;
  readonly advice: string | null;
}

/** The oversights of a run. */
export interface OversightState {
  /** Findings that nobody has acknowledged yet, by task and agent. */
  readonly found: Readonly<Record<string, Found>>;
  /** The number of calls since the last oversight, by task and by agent. */
  readonly byTask: Tree<number>;
  readonly byAgent: Tree<number>;
  /** Tasks that had an oversight since their phase was entered. */
  readonly seen: Tree<boolean>;
  /** The agent that asked last, by task. */
  readonly asked: Readonly<Record<string, string>>;
}

/** The oversights of a run, by the log. */
export const oversight = defineProjection<OversightState>({
  name: "@bylaw/plugin-vibecheck/standing",
  version: 4,
  scope: "task",
  initial: { found: {}, byTask: null, byAgent: null, seen: null, asked: {} },
  reduce(state, { event_type, agent_id: agent, task_id: task, details }) {
    const key = JSON.stringify(task);
    switch (event_type) {
      case "tool_allowed":
        return {
          ...state,
          byTask: plusOne(state.byTask, key),
          byAgent: plusOne(state.byAgent, JSON.stringify(agent)),
        };
      case "phase_entered":
        return treeGet(state.seen, key) === true
          ? { ...state, seen: treePut(state.seen, key, false) }
          : state;
      case "behavior_applied":
        return details["action"] === "vibecheck" && agent !== null
          ? { ...state, asked: { ...state.asked, [key]: agent } }
          : state;
      case "oversight_failed":
        return found(state, {
          ...{ task, agent, risk: 0, advice: null },
          failed: String(details["error"]),
        });
      case "oversight_given":
        return given(state, { task, agent }, details);
      case "oversight_acknowledged":
        return {
          ...state,
          found: Object.fromEntries(
            Object.entries(state.found).filter(([, one]) => one.task !== task),
          ),
        };
      default:
        return state;
    }
  },
});

function given(
  state: OversightState,
  { task, agent }: Pick<Found, "task" | "agent">,
  details: LogEvent["details"],
): OversightState {
  const verdict = { risk: riskIn(details), failed: null, advice: adviceIn(details) };
  const { byTask, byAgent, seen } = state;
  const key = JSON.stringify(task);
  return {
    ...found(state, { task, agent, ...verdict }),
    byTask: treePut(byTask, key, 0),
    byAgent: treeDrop(byAgent, JSON.stringify(agent)),
    seen: treePut(seen, key, true),
  };
}

function riskIn({ verdict = null }: LogEvent["details"]): number {
  return isJsonObject(verdict) ? Number(verdict["risk"]) : 1;
}

function adviceIn({ verdict = null }: LogEvent["details"]): string | null {
  return isJsonObject(verdict) ? String(verdict["advice"]).slice(0, ADVICE) : null;
}

/** The longest advice that is kept, in UTF-16 units. */
const ADVICE = 500;

function found(
  state: OversightState,
  { task, agent, risk, failed, advice }: Found,
): OversightState {
  const key = JSON.stringify([task, agent]);
  const before = Object.hasOwn(state.found, key) ? state.found[key] : undefined;
  // An answer about a task also settles earlier failures there, whoever asked.
  const others = Object.entries(state.found).map(([name, one]) => [
    name,
    failed === null && one.task === task ? { ...one, failed: null } : one,
  ]);
  const higher = before === undefined || risk >= before.risk;
  const now: Found = {
    ...{ task, agent, failed },
    risk: higher ? risk : before.risk,
    advice: higher ? advice : before.advice,
  };
  return {
    ...state,
    found: { ...(Object.fromEntries(others) as OversightState["found"]), [key]: now },
  };
}

const plusOne = (counts: Tree<number>, key: string): Tree<number> =>
  treePut(counts, key, (treeGet(counts, key) ?? 0) + 1);
const most = (counts: Tree<number>): number =>
  counts === null ? 0 : Math.max(counts.value, most(counts.left), most(counts.right));

/**
 * The oversight state of a caller that is about to act. Findings about an agent follow it, whatever task it names. Findings about a task
 * bind everybody who works on it. Findings without a task bind the whole run. A caller without a task and agent may be any of them.
 */
export function oversightStatus(
  state: OversightState,
  { task, agent }: { readonly task?: string | undefined; readonly agent?: string | undefined },
): OversightStatus {
  const concerns = (one: Found): boolean =>
    agent === undefined ||
    one.task === null ||
    one.agent === agent ||
    (task !== undefined && one.task === task);
  const mine = Object.values(state.found).filter(concerns);
  const ofAgent =
    agent === undefined
      ? most(state.byAgent)
      : (treeGet(state.byAgent, JSON.stringify(agent)) ?? 0);
  const risk = Math.max(0, ...mine.map((one) => one.risk));
  return {
    advice: mine.find((one) => one.risk === risk)?.advice ?? null,
    risk,
    failed: mine.find(({ failed }) => failed !== null)?.failed ?? null,
    calls: Math.max(treeGet(state.byTask, JSON.stringify(task ?? null)) ?? 0, ofAgent),
    seen: treeGet(state.seen, JSON.stringify(task ?? null)) === true,
  };
}

/** The agents behind a verdict that a person acknowledges: those that asked, and those whose work was judged. */
export const agentsInvolved = (
  { asked, found: all }: OversightState,
  task: string | null,
): readonly string[] => [
  ...Object.values(all).flatMap((one) =>
    one.task === task && one.agent !== null ? [one.agent] : [],
  ),
  ...(Object.hasOwn(asked, JSON.stringify(task)) ? [asked[JSON.stringify(task)] ?? ""] : []),
];
