import { isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { decisionIn, facts, textOf } from "./audit-facts.ts";
import { createAuditIndex, type AuditFilter, type AuditHit } from "./audit-index.ts";
import { createStats, type AuditStats } from "./audit-stats.ts";
import type { LogFollower, LogFold } from "../events/log-follower.ts";

/** One event of the log, with the fields by which it is looked for. */
interface AuditEntry {
  readonly sequence: number;
  readonly timestamp: string;
  readonly event_type: string;
  readonly session_id: string;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  /** Of the task at that time. */
  readonly phase: string | null;
  readonly tool_name: string | null;
  /** Of a tool call, and with its result; `null` where there are none. */
  readonly args: Json;
  readonly result: Json;
  /** From the decision to the result. */
  readonly duration_ms: number | null;
  /** `null`: neither, such as a call that was allowed and has no result yet. */
  readonly success: boolean | null;
  readonly error: string | null;
  readonly effect: string | null;
  readonly code: string | null;
  /** All else that the event has. */
  readonly details: JsonObject;
}

/** A page of the log, the newest events first. */
interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** How many there are in all, among those that this node knows. */
  readonly total: number;
  /** The cursor of the next page; left out with the last one. */
  readonly next?: string;
  /** Left out where this node knows the log from its beginning: the first event that it knows. */
  readonly from_sequence?: number;
}

/** Looks into the log. Reads no more of it than it answers with. */
export interface Audit extends LogFold {
  query(
    filter: AuditFilter,
    page: { readonly limit: number; readonly below?: number | undefined },
  ): Promise<AuditPage>;
  stats(): Promise<AuditStats>;
}

interface AuditTerms {
  readonly store: Pick<Store, "events">;
  readonly run: string;
  /** How many events are known; older ones are found with `bylaw log query`. */
  readonly keep?: number;
}

/** A page ends where its events have so many characters of JSON. */
const PAGE_CHARS = 2_000_000;
/** Events that are so near to each other are read at once, with those between them. */
const NEAR = 32;
const AT_ONCE = 64;

export function createAudit(
  { store, run, keep = 1_000_000 }: AuditTerms,
  follower: () => LogFollower,
): Audit {
  const index = createAuditIndex({ keep });
  const stats = createStats();

  async function* events(hits: readonly AuditHit[]): AsyncGenerator<readonly [AuditHit, LogEvent]> {
    for (const near of parts(hits)) {
      const [newest, oldest] = [near[0]?.sequence ?? 0, near.at(-1)?.sequence ?? 0];
      const read = new Map(
        (await store.events(run, oldest - 1, newest - oldest + 1)).map((event) => [
          event.sequence,
          event,
        ]),
      );
      for (const hit of near) {
        const event = read.get(hit.sequence);
        if (event !== undefined) yield [hit, event];
      }
    }
  }

  async function entryOf(hit: AuditHit, event: LogEvent): Promise<AuditEntry> {
    const [call] = hit.call > 0 ? await store.events(run, hit.call - 1, 1) : [];
    return entry(event, hit, call);
  }

  return {
    add(added) {
      index.add(added);
      stats.add(added);
    },
    async query(filter, { limit, below = Infinity }) {
      await follower().fresh();
      const { hits, total } = index.find(filter, below, limit + 1);
      const entries: AuditEntry[] = [];
      let size = 0;
      for await (const [hit, event] of events(hits.slice(0, limit))) {
        const found = await entryOf(hit, event);
        size += JSON.stringify(found).length;
        if (entries.length > 0 && size > PAGE_CHARS) break;
        entries.push(found);
      }
      const last = entries.at(-1);
      return {
        entries,
        total,
        ...(last !== undefined && entries.length < hits.length
          ? { next: String(last.sequence) }
          : {}),
        ...(index.first > 1 ? { from_sequence: index.first } : {}),
      };
    },
    async stats() {
      await follower().fresh();
      return stats.value();
    },
  };
}

function parts(hits: readonly AuditHit[]): readonly (readonly AuditHit[])[] {
  const found: AuditHit[][] = [];
  for (const hit of hits) {
    const part = found.at(-1);
    const [first, last] = [part?.[0]?.sequence ?? 0, part?.at(-1)?.sequence ?? 0];
    if (part !== undefined && last - hit.sequence <= NEAR && first - hit.sequence < AT_ONCE)
      part.push(hit);
    else found.push([hit]);
  }
  return found;
}

function entry(
  event: LogEvent,
  { phase, success }: AuditHit,
  call: LogEvent | undefined,
): AuditEntry {
  const { sequence, timestamp, event_type, session_id, details } = event;
  const { tool: _tool, args = null, result = null, decision: _decision, ...rest } = details;
  const { task, agent, tool } = facts(event);
  const { effect, code, reason } = decisionIn(event);
  const said = isJsonObject(result) ? textOf(result["error"]) : textOf(result);
  return {
    sequence,
    timestamp,
    event_type,
    session_id,
    agent_id: agent,
    task_id: task,
    phase,
    tool_name: tool,
    args: call === undefined ? args : (call.details["args"] ?? null),
    result,
    duration_ms:
      call === undefined ? null : Math.max(0, Date.parse(timestamp) - Date.parse(call.timestamp)),
    success,
    error: success === false ? (textOf(reason) ?? said ?? textOf(rest["code"])) : null,
    effect: textOf(effect),
    code: textOf(code) ?? textOf(rest["code"]),
    details: rest,
  };
}
