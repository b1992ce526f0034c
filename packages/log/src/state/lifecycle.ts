import { checkArgument, type JsonObject, type Projection, type View } from "@bylaw/kernel";
import type { Session } from "./session.ts";

/** An event that a run records when it is opened. */
export interface OpeningEvent {
  readonly event_type: string;
  readonly task_id: string | null;
  readonly details: JsonObject;
}

/** What a session records when it resumes a log. */
export interface ResumedLog {
  /** Recorded in `session_resumed`. */
  readonly counts: {
    readonly in_progress_tasks_count: number;
    readonly pending_audit_count: number;
    readonly completed_tasks_count: number;
  };
  /** Recorded after `session_resumed`, in order. */
  readonly events: readonly OpeningEvent[];
}

/** A projection that knows the life cycle of the work in a log. A plugin declares it like any other, and the run queries it. */
export interface Lifecycle<State> extends Projection<State> {
  /** Returns what a new session records after `last`. */
  resume(state: State, last: Session): ResumedLog;
  /** The event type that ended the work; `null` while it continues. */
  endedBy(state: State): string | null;
}

/** Defines a life cycle. Throws BYLAW_PLUGIN_INVALID if it is malformed. */
export const defineLifecycle = <State>(lifecycle: Lifecycle<State>): Lifecycle<State> =>
  checkArgument("defineLifecycle", "a life cycle", lifecycle, { code: "BYLAW_PLUGIN_INVALID" });

/** The event type that ended the work in a log. Undefined while it continues, and for a log without a life cycle. */
export function endOf(projections: readonly Projection<unknown>[], view: View): string | undefined {
  const ends = lifecyclesIn(projections).map((lifecycle) => lifecycle.endedBy(view(lifecycle)));
  return ends.find((type) => type !== null) ?? undefined;
}

export const lifecyclesIn = (
  projections: readonly Projection<unknown>[],
): readonly Lifecycle<unknown>[] =>
  projections.filter(
    (projection): projection is Lifecycle<unknown> =>
      "resume" in projection && "endedBy" in projection,
  );
