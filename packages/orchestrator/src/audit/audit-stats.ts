import type { LogEvent } from "@bylaw/kernel";
import { decisionIn, facts } from "./audit-facts.ts";
import { TASKS } from "./audit-index.ts";
import { setBounded } from "../service/bounded-map.ts";

/** What a run has come to, in numbers. */
export interface AuditStats {
  /** All events. */
  readonly total_entries: number;
  readonly total_successes: number;
  readonly total_failures: number;
  /** Of those that went well or did not, from 0 to 1; 0 where there are none. */
  readonly success_rate: number;
  /** How often each tool was asked for. */
  readonly tools_used: Readonly<Record<string, number>>;
  /** How many events there were in each phase. */
  readonly phases: Readonly<Record<string, number>>;
  readonly event_types: Readonly<Record<string, number>>;
  /** By effect and code, as `deny rule_denied`. */
  readonly decisions: Readonly<Record<string, number>>;
}

export interface StatsFold {
  add(events: readonly LogEvent[]): void;
  value(): AuditStats;
}

/** A log can hold any number of names; all that come later than these are counted together. */
const NAMES = 500;
const OTHERS = "(others)";
const ASKED: ReadonlySet<string> = new Set(["tool_allowed", "tool_asked", "tool_denied"]);

export function createStats(): StatsFold {
  const tools = new Map<string, number>();
  const phases = new Map<string, number>();
  const types = new Map<string, number>();
  const decisions = new Map<string, number>();
  const current = new Map<string, string>();
  let [entries, well, badly] = [0, 0, 0];

  function take(event: LogEvent): void {
    const { event_type, details } = event;
    const { task, tool, success } = facts(event);
    entries += 1;
    if (success === true) well += 1;
    if (success === false) badly += 1;
    raise(types, event_type);
    if (tool !== null && ASKED.has(event_type)) raise(tools, tool);
    if (task !== null && event_type === "phase_entered")
      setBounded(current, task, String(details["to"]), TASKS);
    const phase = task === null ? undefined : current.get(task);
    if (phase !== undefined) raise(phases, phase);
    const { effect, code } = decisionIn(event);
    if (typeof effect === "string" && typeof code === "string")
      raise(decisions, `${effect} ${code}`);
  }

  return {
    add(events) {
      for (const event of events) take(event);
    },
    value: () => ({
      total_entries: entries,
      total_successes: well,
      total_failures: badly,
      success_rate: well + badly === 0 ? 0 : well / (well + badly),
      tools_used: Object.fromEntries(tools),
      phases: Object.fromEntries(phases),
      event_types: Object.fromEntries(types),
      decisions: Object.fromEntries(decisions),
    }),
  };
}

function raise(counts: Map<string, number>, name: string): void {
  const known = name.slice(0, 256);
  const key = counts.size < NAMES || counts.has(known) ? known : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
