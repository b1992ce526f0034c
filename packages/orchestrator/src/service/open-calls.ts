import { COMPLETED } from "@bylaw/contract";
import { defineProjection, definePlugin, type EventDraft, type Finding, type View } from "@bylaw/kernel";
import { treeDrop, treeGet, treePut, type Tree } from "@bylaw/log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { OWN_CALL } from "./calls.ts";

/** The calls that an agent was allowed to make itself at one task, and has not said anything of. */
interface OpenCalls {
  readonly agent: string | null;
  /** Ids with tools, the oldest first. */
  readonly calls: readonly string[];
}

/** How many of one task are known. It is copied with every call, and is part of every snapshot of the log. */
const KNOWN = 128;
/** Who is not at a task any more says nothing about it. */
const ENDS: ReadonlySet<string> = new Set(["task_released", "task_failed", "task_lapsed", "task_escalated", "task_finished"]);

const openCalls = defineProjection<Tree<OpenCalls>>({
  name: `${manifest.name}/open-calls`,
  version: 1,
  initial: null,
  reduce(state, { event_type, task_id, agent_id: agent, details }) {
    if (task_id === null) return state;
    if (event_type === "tool_allowed") {
      const { id, tool } = details;
      if (!isReported(id)) return state;
      const open = treeGet(state, task_id);
      const calls = open === undefined || open.agent !== agent ? [] : open.calls;
      const kept = calls.length < KNOWN ? calls : calls.slice(1);
      return treePut(state, task_id, { agent, calls: [...kept, callOf(id, tool)] });
    }
    if (event_type === "tool_result") {
      const { id, tool } = details;
      const open = treeGet(state, task_id);
      if (open === undefined || !isReported(id)) return state;
      const reported = callOf(id, tool);
      const calls = open.calls.filter((call) => call !== reported);
      return calls.length === open.calls.length ? state : treePut(state, task_id, { ...open, calls });
    }
    const over = ENDS.has(event_type) || (event_type === "phase_entered" && details["to"] === COMPLETED);
    return over ? treeDrop(state, task_id) : state;
  },
});

/** What an agent says that a call came to is taken once, and for a call that it was allowed to make: rules may ask what went well. */
export const openCallsPlugin = definePlugin({
  name: `${manifest.name}/open-calls`,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.projection(openCalls);
    kernel.guard("result", (view, event) => resultFault(view, event));
  },
});

function resultFault(view: View, { event_type, agent_id, task_id, details: { id, tool } }: EventDraft): Finding | undefined {
  if (event_type !== "tool_result" || task_id === null || !isReported(id)) return undefined;
  const open = treeGet(view(openCalls), task_id);
  if (open?.agent === agent_id && open.calls.includes(callOf(id, tool))) return undefined;
  return { rule: "RESULT_CALL", message: "a result is of a call that its agent was allowed to make, and has one" };
}

// The server says itself what came of the calls that it makes.
const isReported = (id: unknown): id is string => typeof id === "string" && !id.startsWith(OWN_CALL);

// Whatever is in an id, it is told apart from a tool.
const callOf = (id: string, tool: unknown): string => `${id.length} ${id} ${String(tool)}`;
