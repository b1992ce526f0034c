import { isJsonObject, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { idOfQuestion, type Run } from "@bylaw/log";
import { openCheckpoints, resumeCheckpoint, type OpenCheckpoint } from "@bylaw/plugin-checkpoint";
import type { DocumentWrite } from "@bylaw/store";
import { isBlank } from "@bylaw/wording";
import { setBounded } from "../service/bounded-map.ts";

interface Stop {
  /** The sequence of the event that began it. */
  readonly sequence: number;
  readonly asked_at: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly reason: string | null;
}

/** A pause that an agent asked for: nothing of its task runs until a person ends it. */
interface PauseStop extends Stop {
  readonly kind: "pause";
  readonly step: string | null;
  readonly definition: string | null;
}

/** A risk that an oversight found, a failed oversight, or a step at which a workflow is held. A person must acknowledge it. */
export interface HoldStop extends Stop {
  readonly kind: "hold";
  /** 0 to 1; `null` for a workflow. */
  readonly risk: number | null;
  /** The name of the oversight. */
  readonly by: string | null;
  /** The step of the workflow. */
  readonly step: string | null;
  /** Why the workflow is held, such as `risk` or `limit`. */
  readonly why: string | null;
}

export interface EndedStop {
  readonly id: string;
  readonly kind: "pause" | "hold";
  readonly agent: string | null;
  readonly task: string | null;
  readonly by: string;
}

export type OpenStop = (PauseStop | HoldStop) & { readonly id: string };

/** The risk from which a person must look, unless the plugin sets another. */
const HOLD_AT = 0.7;
const ENDED = 1_000;
const ENDS_HOLD = new Set(["workflow_released", "workflow_moved", "workflow_ended"]);

/** Follows pauses and holds. A workflow acts on the answers of its oversight itself, so only its own holds count. */
export class StopFold {
  readonly #run: string;
  readonly #holdAt: number;
  #pauses: readonly OpenCheckpoint[] = [];
  readonly #holds = new Map<string | null, HoldStop>();
  readonly #ended = new Map<string, EndedStop>();
  #workflow = false;
  #held: HoldStop | undefined;

  constructor(run: string, holdAt = HOLD_AT) {
    this.#run = run;
    this.#holdAt = holdAt;
  }

  add(event: LogEvent): void {
    const { event_type, details, task_id: task } = event;
    const before = this.#pauses;
    this.#pauses = openCheckpoints.reduce(before, event);
    if (event_type === "checkpoint_resumed") {
      const open = before.find(({ checkpoint }) => checkpoint === details["checkpoint"]);
      if (open !== undefined) this.#end(this.#pauseOf(open), details);
    } else if (event_type === "workflow_started") this.#workflow = true;
    else if (event_type.startsWith("workflow_")) this.#follow(event);
    else if (event_type === "oversight_given" || event_type === "oversight_failed")
      this.#look(event);
    else if (event_type === "oversight_acknowledged") {
      const hold = this.#holds.get(task);
      if (hold !== undefined) this.#end({ ...hold, id: this.#idOf(hold) }, details);
      this.#holds.delete(task);
    }
  }

  /** The open stops of all tasks or of one. */
  open(task?: string): readonly OpenStop[] {
    const own = this.#held === undefined ? [] : [this.#held];
    const holds = this.#workflow ? own : [...this.#holds.values()];
    return [
      ...this.#pauses.map((open) => this.#pauseOf(open)),
      ...holds.map((hold): OpenStop => ({ ...hold, id: this.#idOf(hold) })),
    ].filter((stop) => task === undefined || stop.task === task);
  }

  ended(id: string): EndedStop | undefined {
    return this.#ended.get(id);
  }

  #follow({ event_type, sequence, timestamp, agent_id: agent, details }: LogEvent): void {
    const before = this.#held;
    if (event_type === "workflow_held") {
      const [step, why, message] = [details["step"], details["why"], details["message"]].map(
        String,
      );
      this.#held =
        before === undefined
          ? {
              ...{ kind: "hold", sequence, asked_at: timestamp, agent, task: null },
              ...{ risk: null, by: null, step: step ?? "", why: why ?? "", reason: message ?? "" },
            }
          : {
              ...before,
              sequence,
              reason: `${before.reason}; \`${step}\`: ${message}`.slice(0, 1_000),
            };
    } else if (before !== undefined && (ENDS_HOLD.has(event_type) || details["moved"] === true)) {
      // A migration ends a hold only if it moves the workflow.
      if (event_type === "workflow_released")
        this.#end({ ...before, id: this.#idOf(before) }, details);
      this.#held = undefined;
    }
  }

  // A low risk ends the hold of a failed oversight. A high risk stays until a person acknowledges it.
  #look({ sequence, timestamp, agent_id: agent, task_id: task, details }: LogEvent): void {
    const verdict = details["verdict"] ?? null;
    const risk = isJsonObject(verdict) ? Number(verdict["risk"]) : 0;
    const before = this.#holds.get(task);
    const failed = !isJsonObject(verdict);
    if (before !== undefined && (before.risk ?? 0) > risk) return;
    if (!failed && risk < this.#holdAt) return void this.#holds.delete(task);
    const reason = failed
      ? `The oversight failed: ${String(details["error"])}`
      : String(verdict["advice"]);
    const by = String(details["by"]);
    this.#holds.set(task, {
      kind: "hold",
      ...{ sequence, asked_at: timestamp, agent, task, reason, risk, by, step: null, why: null },
    });
  }

  #end({ id, kind, agent, task }: OpenStop, { by }: JsonObject): void {
    setBounded(this.#ended, id, { id, kind, agent, task, by: String(by) }, ENDED);
  }

  #pauseOf({ checkpoint, at, agent, task, step, reason, definition }: OpenCheckpoint): OpenStop {
    const stop: PauseStop = {
      kind: "pause",
      ...{ sequence: checkpoint, asked_at: at, agent, task, step, reason, definition },
    };
    return { ...stop, id: this.#idOf(stop) };
  }

  #idOf = ({ kind, sequence }: Pick<OpenStop, "kind" | "sequence">): string =>
    idOfQuestion({ run: this.#run, kind, sequence });
}

interface EndOfStop {
  readonly by: string;
  readonly reason?: string | undefined;
  /** Documents that let only one of two simultaneous answers through. */
  readonly documents?: readonly DocumentWrite[];
}

/** Ends a stop on behalf of a person. Throws what the run throws. */
export async function endStop(
  run: Run,
  stop: OpenStop,
  { by, reason = "", documents = [] }: EndOfStop,
): Promise<LogEvent | undefined> {
  if (stop.kind === "pause") {
    const { sequence: checkpoint, definition } = stop;
    const known = definition === null ? {} : { definition };
    return (await resumeCheckpoint(run, { checkpoint, by, ...known }))[0];
  }
  const said = isBlank(reason) ? `Acknowledged: ${stop.reason ?? "the oversight"}` : reason;
  const { task: task_id, step, why } = stop;
  const acknowledged = {
    ...{ event_type: "oversight_acknowledged", agent_id: null, task_id },
    details: { by, reason: said.slice(0, 1_000) },
  };
  if (step === null) return (await run.record([acknowledged], { documents }))[0];
  const released = {
    ...{ event_type: "workflow_released", agent_id: null, task_id },
    details: { by, step },
  };
  const looked = why === "risk" || why === "oversight" ? [acknowledged] : [];
  return (await run.record([...looked, released], { documents })).at(-1);
}
