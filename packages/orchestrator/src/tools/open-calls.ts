import { COMPLETED_PHASE } from "@bylaw/contract";
import { definePlugin, defineProjection, type EventDraft, type View } from "@bylaw/kernel";
import { treeDrop, treeGet, treePut, type Finding, type Tree } from "@bylaw/log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { OWN_CALL } from "./calls.ts";

/** The calls at one task that an agent was allowed to make itself and has not reported yet. */
interface OpenCalls {
  readonly agent: string | null;
  /** Ids with tools, the oldest first. Only this short list is copied with every call. */
  readonly last: readonly string[];
  /** Earlier calls, in blocks of the same size. */
  readonly before: readonly (readonly string[])[];
}

/** At least the last 128 calls of a task are kept. There are no more, because they are part of every snapshot of the log. */
const COPIED = 16;
const PARTS = 8;
/** After these events, an agent cannot report anything for the task. */
const ENDS: ReadonlySet<string> = new Set([
  "task_released",
  "task_failed",
  "task_lapsed",
  "task_escalated",
  "task_finished",
]);

const openCalls = defineProjection<Tree<OpenCalls>>({
  name: `${manifest.name}/open-calls`,
  version: 1,
  scope: "task",
  initial: null,
  reduce(state, { event_type, task_id, agent_id: agent, details }) {
    if (task_id === null) return state;
    if (event_type === "tool_allowed") {
      const { id, tool } = details;
      if (!isReported(id)) return state;
      const open = treeGet(state, task_id);
      const call = callOf(id, tool);
      if (open === undefined || open.agent !== agent)
        return treePut(state, task_id, { agent, last: [call], before: [] });
      const { last, before } = open;
      if (last.length < COPIED)
        return treePut(state, task_id, { agent, last: [...last, call], before });
      return treePut(state, task_id, {
        agent,
        last: [call],
        before: [...before.slice(1 - PARTS), last],
      });
    }
    if (event_type === "tool_result") {
      const { id, tool } = details;
      const open = treeGet(state, task_id);
      if (open === undefined || !isReported(id) || !isOpen(open, callOf(id, tool))) return state;
      const others = (calls: readonly string[]): readonly string[] =>
        calls.filter((call) => call !== callOf(id, tool));
      const before = open.before.map(others).filter(({ length }) => length > 0);
      return treePut(state, task_id, { ...open, last: others(open.last), before });
    }
    const over =
      ENDS.has(event_type) || (event_type === "phase_entered" && details["to"] === COMPLETED_PHASE);
    return over ? treeDrop(state, task_id) : state;
  },
});

/** Accepts one reported result for each call that the agent was allowed to make, because rules may depend on results. */
export const openCallsPlugin = definePlugin({
  name: `${manifest.name}/open-calls`,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.projection(openCalls);
    kernel.guard("result", (view, event) => resultFault(view, event));
  },
});

function resultFault(
  view: View,
  { event_type, agent_id, task_id, details: { id, tool } }: EventDraft,
): Finding | undefined {
  if (event_type !== "tool_result" || task_id === null || !isReported(id)) return undefined;
  const open = treeGet(view(openCalls), task_id);
  if (open?.agent === agent_id && isOpen(open, callOf(id, tool))) return undefined;
  return {
    rule: "RESULT_CALL",
    message:
      "a result must belong to a recently allowed call of the same agent that has no result yet",
  };
}

const isOpen = ({ last, before }: OpenCalls, call: string): boolean =>
  last.includes(call) || before.some((part) => part.includes(call));

// The server records the results of its own calls itself.
const isReported = (id: unknown): id is string =>
  typeof id === "string" && !id.startsWith(OWN_CALL);

// The length keeps an id apart from the tool, whatever the id contains.
const callOf = (id: string, tool: unknown): string => `${id.length} ${id} ${String(tool)}`;
