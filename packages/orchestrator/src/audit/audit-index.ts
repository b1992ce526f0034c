import type { LogEvent } from "@bylaw/kernel";
import { facts } from "./audit-facts.ts";
import { setBounded } from "../service/bounded-map.ts";
import { NONE, NameTable } from "./name-table.ts";

/** A search of the log. All given fields must match. */
export interface AuditFilter {
  readonly task_id?: string | undefined;
  readonly phase?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly event_type?: string | undefined;
  readonly success?: boolean | undefined;
  /** Milliseconds since 1970: from `since` on, before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** An event that was found. */
export interface AuditHit {
  readonly sequence: number;
  /** The phase of the task at the time of the event. */
  readonly phase: string | null;
  readonly success: boolean | null;
  /** For a result: the sequence of the decision about the call; 0 if it is unknown. */
  readonly call: number;
}

interface AuditFound {
  /** The newest first. */
  readonly hits: readonly AuditHit[];
  /** The number of all matches among the indexed events. */
  readonly total: number;
}

type Column = "task" | "agent" | "type" | "tool" | "phase" | "call";

interface Block extends Readonly<Record<Column, Int32Array>> {
  /** The sequence of its first row. */
  readonly first: number;
  readonly at: Float64Array;
  /** The names in its rows. Clients can invent any number of names, so they are dropped together with the rows. */
  readonly names: NameTable;
  /** 0: neither, 1: yes, 2: no. */
  readonly success: Uint8Array;
  rows: number;
}

const BLOCK = 16_384;
/** How many calls without a result are kept. */
const MAX_OPEN_CALLS = 10_000;
/** For how many tasks the phase is kept. */
export const MAX_TASKS = 100_000;
const SUCCESS = [null, true, false] as const;

/** An index of the events of a log, with about 40 bytes for each. The events themselves stay in the store. */
export class AuditIndex {
  readonly #keep: number;
  readonly #size: number;
  readonly #blocks: Block[] = [];
  /** The phase of each task. */
  readonly #phases = new Map<string, string>();
  /** Calls without a result, by agent and id, with the sequence of their decision. */
  readonly #calls = new Map<string, number>();

  /** `keep`: the least number of events to keep. Older ones can no longer be found. */
  constructor({
    keep = 1_000_000,
    block = BLOCK,
  }: {
    readonly keep?: number;
    readonly block?: number;
  }) {
    this.#keep = keep;
    this.#size = block;
  }

  /** The sequence of the first indexed event; 0 before there is any. */
  get first(): number {
    return this.#blocks[0]?.first ?? 0;
  }

  /** The number of names in all indexed events. */
  get names(): number {
    return this.#blocks.reduce((count, { names }) => count + names.size, 0);
  }

  add(events: readonly LogEvent[]): void {
    for (const event of events) this.#take(event);
  }

  /** Finds at most `limit` events below a sequence. */
  find(filter: AuditFilter, below: number, limit: number): AuditFound {
    const asked = askedOf(filter);
    const hits: AuditHit[] = [];
    let total = 0;
    for (const block of this.#blocks.toReversed())
      for (const row of matches(block, asked, filter)) {
        total += 1;
        const sequence = block.first + row;
        if (sequence >= below || hits.length >= limit) continue;
        hits.push({
          sequence,
          phase: block.names.at(block.phase[row] ?? NONE),
          success: SUCCESS[block.success[row] ?? 0] ?? null,
          call: block.call[row] ?? 0,
        });
      }
    return { hits, total };
  }

  #take(event: LogEvent): void {
    const { task, agent, tool, success } = facts(event);
    if (event.event_type === "phase_entered" && task !== null)
      setBounded(this.#phases, task, String(event.details["to"]), MAX_TASKS);
    const block = this.#room(event.sequence);
    const { names, rows: row } = block;
    block.at[row] = Date.parse(event.timestamp);
    block.task[row] = names.add(task);
    block.agent[row] = names.add(agent);
    block.type[row] = names.add(event.event_type);
    block.tool[row] = names.add(tool);
    block.phase[row] = names.add(task === null ? null : this.#phases.get(task));
    block.call[row] = this.#callOf(event, agent);
    block.success[row] = SUCCESS.indexOf(success);
    block.rows += 1;
  }

  #callOf({ event_type, sequence, details: { id } }: LogEvent, agent: string | null): number {
    if (typeof id !== "string") return 0;
    const key = JSON.stringify([agent, id]);
    if (event_type === "tool_result") {
      const call = this.#calls.get(key) ?? 0;
      this.#calls.delete(key);
      return call;
    }
    if (event_type === "tool_allowed" && key.length <= 1_000)
      setBounded(this.#calls, key, sequence, MAX_OPEN_CALLS);
    return 0;
  }

  #room(sequence: number): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.rows < this.#size) return last;
    const column = (): Int32Array => new Int32Array(this.#size);
    const fresh: Block = {
      task: column(),
      agent: column(),
      type: column(),
      tool: column(),
      phase: column(),
      call: column(),
      first: sequence,
      at: new Float64Array(this.#size),
      success: new Uint8Array(this.#size),
      names: new NameTable(),
      rows: 0,
    };
    this.#blocks.push(fresh);
    if (this.#blocks.length > Math.ceil(this.#keep / this.#size) + 1) this.#blocks.shift();
    return fresh;
  }
}

/** The matching rows of a block, the newest first. They are scanned in place, because there may be a million. */
function* matches(
  block: Block,
  asked: readonly (readonly [Column, string])[],
  { since = -Infinity, until = Infinity, success }: AuditFilter,
): Generator<number> {
  const wanted = asked.map(([column, name]) => [block[column], block.names.find(name)] as const);
  if (wanted.some(([, number]) => number === NONE)) return;
  const [[first, number] = [undefined, NONE], ...others] = wanted;
  const succeeded = success === undefined ? undefined : SUCCESS.indexOf(success);
  for (let row = block.rows - 1; row >= 0; row -= 1) {
    if (first !== undefined && first[row] !== number) continue;
    if (succeeded !== undefined && block.success[row] !== succeeded) continue;
    if (others.length > 0 && !others.every(([column, other]) => column[row] === other)) continue;
    const at = block.at[row] ?? 0;
    if (at >= since && at < until) yield row;
  }
}

/** The value that each column must have, only for the fields of the filter. */
function askedOf({
  task_id,
  agent_id,
  event_type,
  tool_name,
  phase,
}: AuditFilter): readonly (readonly [Column, string])[] {
  const asked: readonly (readonly [Column, string | undefined])[] = [
    ["task", task_id],
    ["agent", agent_id],
    ["type", event_type],
    ["tool", tool_name],
    ["phase", phase],
  ];
  return asked.flatMap(([column, name]) => (name === undefined ? [] : [[column, name] as const]));
}
