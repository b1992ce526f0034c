import { isJsonObject, type LogEvent } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { decisionIn, facts, textOf } from "./audit-facts.ts";
import { AuditIndex, type AuditFilter, type AuditHit } from "./audit-index.ts";
import { AuditCounts } from "./audit-stats.ts";
import type { LogFollower, LogFold } from "../events/log-follower.ts";

interface AuditOptions {
  readonly store: Pick<Store, "events">;
  readonly run: string;
  /** How many events are indexed. Older ones can be found with `bylaw log query`. */
  readonly keep?: number;
}

/** The most characters of JSON in a page. */
const PAGE_CHARS = 2_000_000;
/** Events that are at most this far apart are read together, with those between them. */
const NEAR = 32;
const AT_ONCE = 64;

/** Searches the log. Reads no more of it than it returns. */
export class Audit implements LogFold {
  readonly #options: AuditOptions;
  readonly #follower: () => LogFollower;
  readonly #index: AuditIndex;
  readonly #stats = new AuditCounts();

  constructor(options: AuditOptions, follower: () => LogFollower) {
    this.#options = options;
    this.#follower = follower;
    this.#index = new AuditIndex(options);
  }

  add(events: readonly LogEvent[]): void {
    this.#index.add(events);
    this.#stats.add(events);
  }

  async query(
    filter: AuditFilter,
    { limit, below = Infinity }: { readonly limit: number; readonly below?: number | undefined },
  ) {
    await this.#follower().fresh();
    const { hits, total } = this.#index.find(filter, below, limit + 1);
    const entries: ReturnType<typeof entry>[] = [];
    let size = 0;
    for await (const [hit, event] of this.#events(hits.slice(0, limit))) {
      const found = entry(event, hit, await this.#callOf(hit));
      size += JSON.stringify(found).length;
      if (entries.length > 0 && size > PAGE_CHARS) break;
      entries.push(found);
    }
    const last = entries.at(-1);
    const { first } = this.#index;
    return {
      entries,
      total,
      ...(last !== undefined && entries.length < hits.length
        ? { next: String(last.sequence) }
        : {}),
      ...(first > 1 ? { from_sequence: first } : {}),
    };
  }

  async stats() {
    await this.#follower().fresh();
    return this.#stats.value();
  }

  async *#events(hits: readonly AuditHit[]): AsyncGenerator<readonly [AuditHit, LogEvent]> {
    const { store, run } = this.#options;
    for (const near of parts(hits)) {
      const [newest, oldest] = [near[0]?.sequence ?? 0, near.at(-1)?.sequence ?? 0];
      const read = await store.events(run, oldest - 1, newest - oldest + 1);
      const bySequence = new Map(read.map((event) => [event.sequence, event]));
      for (const hit of near) {
        const event = bySequence.get(hit.sequence);
        if (event !== undefined) yield [hit, event];
      }
    }
  }

  async #callOf({ call }: AuditHit): Promise<LogEvent | undefined> {
    const { store, run } = this.#options;
    return call > 0 ? (await store.events(run, call - 1, 1))[0] : undefined;
  }
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

/** One event of the log, with the fields that a search can name. */
function entry(event: LogEvent, { phase, success }: AuditHit, call: LogEvent | undefined) {
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
    // The one of the task at the time of the event.
    phase,
    tool_name: tool,
    args: call === undefined ? args : (call.details["args"] ?? null),
    result,
    // From the decision to the result.
    duration_ms:
      call === undefined ? null : Math.max(0, Date.parse(timestamp) - Date.parse(call.timestamp)),
    // `null` for neither, such as an allowed call without a result.
    success,
    error: success === false ? (textOf(reason) ?? said ?? textOf(rest["code"])) : null,
    effect: textOf(effect),
    code: textOf(code) ?? textOf(rest["code"]),
    details: rest,
  };
}
