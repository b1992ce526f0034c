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
/** A verdict with who gave it. */
export type Vote = Decision["votes"][number];

/**
 * The votes of one plugin on one subject, none when it abstains; shadow votes and warnings are among them. Nothing is
 * mocked: the plugin runs in a kernel of its own. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID for what no host may ask.
 */
export async function voteOf(plugin: Plugin, subject: SubjectSketch): Promise<readonly Vote[]> {
  const { decision } = await explainAlone(plugin, subject);
  return decision.votes;
}

/** What a kernel with this plugin alone says of a subject, tap by tap, after what has happened before. */
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

// The session and the times are of no account where no event says them.
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
