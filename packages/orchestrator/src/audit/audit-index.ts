import type { LogEvent } from "@bylaw/kernel";
import { facts } from "./audit-facts.ts";
import { setBounded } from "../service/bounded-map.ts";
import { NONE, createNameTable, type NameTable } from "./name-table.ts";

/** What is asked of the log; all of it has to hold. */
export interface AuditFilter {
  readonly task_id?: string | undefined;
  readonly phase?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly event_type?: string | undefined;
  readonly success?: boolean | undefined;
  /** Milliseconds since 1970, from which on and before which. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** An event that was found. */
export interface AuditHit {
  readonly sequence: number;
  /** The phase of the task at that time. */
  readonly phase: string | null;
  readonly success: boolean | null;
  /** Of a result: the sequence of the decision about the call; 0 where it is not known. */
  readonly call: number;
}

interface AuditFound {
  /** The newest first. */
  readonly hits: readonly AuditHit[];
  /** How many there are in all, among those that are kept. */
  readonly total: number;
}

/** Where the events of a log are that somebody looks for, in some 40 bytes for each. The events themselves stay in the store. */
export interface AuditIndex {
  /** Sequence of the first event that is kept; 0 before there is any. */
  readonly first: number;
  /** How many names are held, of all events that are kept. */
  readonly names: number;
  add(events: readonly LogEvent[]): void;
  /** Those below a sequence, at most so many. */
  find(filter: AuditFilter, below: number, limit: number): AuditFound;
}

const COLUMNS = ["task", "agent", "type", "tool", "phase", "call"] as const;
type Column = (typeof COLUMNS)[number];

interface Block extends Readonly<Record<Column, Int32Array>> {
  /** Sequence of its first row. */
  readonly first: number;
  readonly at: Float64Array;
  /** What its rows name: whoever asks may invent any number of names, and they are dropped with the rows. */
  readonly names: NameTable;
  /** 0: neither, 1: yes, 2: no. */
  readonly success: Uint8Array;
  rows: number;
}

const BLOCK = 16_384;
/** How many calls are known that have no result yet. */
const OPEN_CALLS = 10_000;
/** Of how many tasks the phase is known. */
export const TASKS = 100_000;
const SUCCESS = [null, true, false] as const;

/** `keep`: how many events are kept at least; older ones are found no more. */
export function createAuditIndex({
  keep = 1_000_000,
  block = BLOCK,
}: { readonly keep?: number; readonly block?: number } = {}): AuditIndex {
  const blocks: Block[] = [];
  const phases = new Map<string, string>();
  const calls = new Map<string, number>();

  function callOf({ event_type, sequence, details }: LogEvent, agent: string | null): number {
    const { id } = details;
    if (typeof id !== "string") return 0;
    const key = JSON.stringify([agent, id]);
    if (event_type === "tool_result") {
      const call = calls.get(key) ?? 0;
      calls.delete(key);
      return call;
    }
    if (event_type !== "tool_allowed" || key.length > 1_000) return 0;
    setBounded(calls, key, sequence, OPEN_CALLS);
    return 0;
  }

  function room(sequence: number): Block {
    const last = blocks.at(-1);
    if (last !== undefined && last.rows < block) return last;
    const columns = Object.fromEntries(
      COLUMNS.map((column) => [column, new Int32Array(block)]),
    ) as Record<Column, Int32Array>;
    const fresh: Block = {
      ...columns,
      first: sequence,
      at: new Float64Array(block),
      success: new Uint8Array(block),
      names: createNameTable(),
      rows: 0,
    };
    blocks.push(fresh);
    if (blocks.length > Math.ceil(keep / block) + 1) blocks.shift();
    return fresh;
  }

  function take(event: LogEvent): void {
    const { task, agent, tool, success } = facts(event);
    if (event.event_type === "phase_entered" && task !== null)
      setBounded(phases, task, String(event.details["to"]), TASKS);
    const into = room(event.sequence);
    const { names, rows: row } = into;
    into.at[row] = Date.parse(event.timestamp);
    into.task[row] = names.add(task);
    into.agent[row] = names.add(agent);
    into.type[row] = names.add(event.event_type);
    into.tool[row] = names.add(tool);
    into.phase[row] = names.add(task === null ? null : phases.get(task));
    into.call[row] = callOf(event, agent);
    into.success[row] = SUCCESS.indexOf(success);
    into.rows += 1;
  }

  return {
    get first() {
      return blocks[0]?.first ?? 0;
    },
    get names() {
      return blocks.reduce((count, { names }) => count + names.size, 0);
    },
    add(events) {
      for (const event of events) take(event);
    },
    find(filter, below, limit) {
      const asked = askedOf(filter);
      const { since = -Infinity, until = Infinity } = filter;
      const success = filter.success === undefined ? undefined : SUCCESS.indexOf(filter.success);
      const hits: AuditHit[] = [];
      let total = 0;
      for (const rows of blocks.toReversed()) {
        const { names } = rows;
        // The rows of a block are looked through as they lie: this runs for each of a million events.
        const held = asked.map(([column, name]) => [rows[column], names.find(name)] as const);
        if (held.some(([, number]) => number === NONE)) continue;
        const [[first, number] = [undefined, NONE], ...others] = held;
        for (let row = rows.rows - 1; row >= 0; row -= 1) {
          if (first !== undefined && first[row] !== number) continue;
          if (success !== undefined && rows.success[row] !== success) continue;
          if (others.length > 0 && !others.every(([column, other]) => column[row] === other))
            continue;
          const at = rows.at[row] ?? 0;
          if (!(at >= since && at < until)) continue;
          total += 1;
          const sequence = rows.first + row;
          if (sequence >= below || hits.length >= limit) continue;
          const phase = names.at(rows.phase[row] ?? NONE);
          hits.push({
            sequence,
            phase,
            success: SUCCESS[rows.success[row] ?? 0] ?? null,
            call: rows.call[row] ?? 0,
          });
        }
      }
      return { hits, total };
    },
  };
}

/** What each column has to hold, those that are asked for alone. */
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
