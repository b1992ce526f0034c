import {
  createKernel,
  type Decision,
  type Kernel,
  type LogEvent,
  type Plugin,
  type View,
} from "@bylaw/kernel";
import type { PastEvent } from "./example.ts";
import { complete, type SubjectSketch } from "./subjects.ts";

/** A decision with every tap's answer. */
export type Explanation = Awaited<ReturnType<Kernel["explain"]>>;
/** A verdict with its plugin and tap. */
export type Vote = Decision["votes"][number];

/**
 * Returns the votes of one plugin on one subject, including shadow votes and warnings. Empty if the plugin abstains. The plugin runs in a
 * real kernel of its own. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID for an invalid subject.
 */
export async function voteOf(plugin: Plugin, subject: SubjectSketch): Promise<readonly Vote[]> {
  const { decision } = await explainAlone(plugin, subject);
  return decision.votes;
}

/** The answer of a kernel with only this plugin, tap by tap, after the given events. */
export async function explainAlone(
  plugin: Plugin,
  subject: SubjectSketch,
  before?: readonly PastEvent[],
): Promise<Explanation> {
  const kernel = createKernel({ plugins: [plugin] }, { name: "examples" });
  const prepared = await kernel.prepare(complete(subject));
  return before === undefined
    ? kernel.explain(prepared)
    : kernel.explain(prepared, viewAfter(before));
}

// Session and times do not matter unless an event sets them.
function viewAfter(before: readonly PastEvent[]): View {
  const events = before.map((event, at): LogEvent => ({
    timestamp: "2026-01-02T10:00:00.000Z",
    session_id: "00000000-0000-4000-8000-000000000000",
    agent_id: null,
    task_id: null,
    ...event,
    sequence: at + 1,
  }));
  return (projection) =>
    events.reduce((state, event) => projection.reduce(state, event), projection.initial);
}
