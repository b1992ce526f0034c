import {
  freezeJson,
  isJsonObject,
  omitUndefined,
  type Json,
  type JsonObject,
  type LogEvent,
  type ToolCall,
} from "@bylaw/kernel";
import type { CallFacts } from "../match/call-facts.ts";
import { shown } from "./call-text.ts";
import type { MarkSet } from "./mark-set.ts";
import type { MarkEntry, MarksState, SetMarks } from "./mark-state.ts";

/** The marks of a pool, kept as a projection of a run. */
export interface PoolMarks {
  /** The digest of the definitions of the marks. */
  readonly digest: string;
  readonly initial: MarksState;
  /** The names of the marks. */
  readonly names: ReadonlySet<string>;
  /** Lists the marks that a call sets if it runs, as the `marks` field of its recorded decision. */
  recordOf(call: ToolCall): JsonObject;
  readonly reduce: (state: MarksState, event: LogEvent) => MarksState;
}

/** The type of the event that records that a person cleared a mark. */
export const MARK_CLEARED = "mark_cleared";

interface RecordedMarksOptions {
  readonly set: MarkSet;
  /** The facts of the call that is being decided. */
  readonly factsOf: (call: ToolCall) => CallFacts;
  /** Those of a call on record. */
  readonly newFacts: (call: ToolCall) => CallFacts;
  /** See {@link PoolMarks.digest}. */
  readonly digest: string;
}

/** The most records that are kept. Most calls set few marks, and the same ones. */
const RECORDS = 1_000;

const NOTHING: SetMarks = { may: [], sure: [] };

/** Records which marks each call sets, and computes the state of the marks from the log. */
export class RecordedMarks implements PoolMarks {
  readonly digest: string;
  readonly initial: MarksState;
  readonly names: ReadonlySet<string>;
  readonly #set: MarkSet;
  readonly #factsOf: RecordedMarksOptions["factsOf"];
  readonly #newFacts: RecordedMarksOptions["newFacts"];
  readonly #places: ReadonlyMap<Json, number>;
  readonly #records = new Map<string, JsonObject>();

  constructor({ set, factsOf, newFacts, digest }: RecordedMarksOptions) {
    this.digest = digest;
    this.initial = set.fold.initial;
    this.names = new Set(set.marks.map(({ source }) => source.name));
    this.#set = set;
    this.#factsOf = factsOf;
    this.#newFacts = newFacts;
    this.#places = new Map(set.labels.map((label, at) => [label, at]));
  }

  recordOf(call: ToolCall): JsonObject {
    const marks = this.#set.setBy(this.#factsOf(call));
    const key = `${marks.may.join()};${marks.sure.join()}`;
    let record = this.#records.get(key);
    if (record === undefined) {
      if (this.#records.size >= RECORDS) this.#records.clear();
      this.#records.set(key, (record = this.#record(marks)));
    }
    return record;
  }

  // Frozen, so that no call copies it.
  #record({ may, sure }: SetMarks): JsonObject {
    const { labels } = this.#set;
    return freezeJson(
      omitUndefined({
        by: this.digest,
        may: may.length === 0 ? undefined : may.map(([at, times]) => [labels[at] ?? "", times]),
        sure: sure.length === 0 ? undefined : sure.map((at) => labels[at] ?? ""),
      }),
    ) as JsonObject;
  }

  readonly reduce: PoolMarks["reduce"] = (state, event) => {
    const { event_type, details } = event;
    const { fold } = this.#set;
    switch (event_type) {
      case "tool_allowed":
      case "tool_asked":
        return fold.decided(state, {
          id: textOf(details["id"]),
          tool: String(details["tool"]),
          asked: event_type === "tool_asked",
          marks: this.#marksOf(event),
          entry: entryOf(event, shown(details)),
        });
      case "tool_result": {
        const exit = exitCode(details["result"]);
        return fold.returned(state, {
          id: String(details["id"]),
          tool: String(details["tool"]),
          ok: details["ok"] === true && (exit ?? 0) === 0,
          exited: exit !== undefined,
          reported: details["reported"] === true,
          entry: entryOf(event, `result of ${String(details["tool"])}`),
        });
      }
      case MARK_CLEARED: {
        const marks = this.#set.marks.flatMap(({ source }, at) =>
          source.name === details["mark"] ? [at] : [],
        );
        return fold.cleared(state, marks, entryOf(event, `cleared by ${String(details["by"])}`));
      }
      default:
        return state;
    }
  };

  // Prefer the recorded marks if the definitions are the same: they were computed with links resolved and nothing
  // redacted. Otherwise match the logged call again.
  #marksOf({ details, agent_id, task_id }: LogEvent): SetMarks {
    const recorded = details["marks"];
    if (isJsonObject(recorded) && this.digest !== "" && recorded["by"] === this.digest)
      return this.#read(recorded);
    const { tool, args } = details;
    if (typeof tool !== "string") return NOTHING;
    const fields = Object.fromEntries(FIELDS.map((name) => [name, details[name]]));
    const known = typeof args === "object" && args !== null ? args : {};
    const call = omitUndefined({
      ...fields,
      args: known,
      agent: agent_id ?? undefined,
      task: task_id ?? undefined,
      hook: "beforeToolCall",
    }) as unknown as ToolCall;
    const facts = this.#newFacts(call);
    const hidden = args !== known || Array.isArray(details["redacted"]);
    return hidden ? { may: this.#set.aboutTool(facts.identity), sure: [] } : this.#set.setBy(facts);
  }

  #read({ may, sure }: JsonObject): SetMarks {
    return {
      may: listOf(may).flatMap((pair) => {
        const [label = null, times = 1] = listOf(pair);
        const at = this.#places.get(label);
        return at === undefined ? [] : [[at, Number(times)] as const];
      }),
      sure: listOf(sure).flatMap((label) => this.#places.get(label) ?? []),
    };
  }
}

const FIELDS = ["tool", "server", "servers", "cwd", "workspace", "home", "phase"];

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

const entryOf = ({ sequence, timestamp }: LogEvent, call: string): MarkEntry => ({
  event: sequence,
  at: Date.parse(timestamp),
  call,
});

function exitCode(result: Json | undefined): number | undefined {
  if (!isJsonObject(result)) return undefined;
  const code = result["exit_code"] ?? result["exitCode"];
  return typeof code === "number" ? code : undefined;
}
