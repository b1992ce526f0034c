import type { LogEvent } from "@bylaw/kernel";
import {
  NO_LINK,
  createLogVerifier,
  linkOf,
  type LogFinding,
  type VerifyOptions,
} from "../src/index.ts";

/** An event of a log before it gets a sequence. */
export interface Entry {
  readonly type: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly details: object;
  /** Minutes after the event before it. */
  readonly later?: number;
  /** Overrides for fields of the line. */
  readonly line?: object;
  /** Changes the text of the line. */
  readonly rewrite?: (line: string) => string;
  /** The session from here on. */
  readonly session?: string;
  /** On the first entry: whether every event has a hash. */
  readonly chained?: boolean;
}

export const A = "11111111-1111-4111-8111-111111111111";
export const B = "22222222-2222-4222-8222-222222222222";

/** An event without agent and task. */
export const event = (type: string, details: object = {}, more: Partial<Entry> = {}): Entry => ({
  type,
  agent: null,
  task: null,
  details,
  ...more,
});
/** An event of an agent about a task. */
export const work = (
  type: string,
  agent: string,
  task = "t1",
  details: object = {},
  more: Partial<Entry> = {},
): Entry => ({
  type,
  agent,
  task,
  details: { task_id: task, agent_id: agent, ...details },
  ...more,
});

export const start = (total_tasks = 1): Entry =>
  event("session_start", { plan_file: "plan.md", total_tasks });
export const resume = (previous = A, session = B, more: Partial<Entry> = {}): Entry =>
  event("session_resumed", { previous_session_id: previous }, { session, ...more });
export const dispatch = (task = "t1", details: object = {}): Entry =>
  work("developer_dispatched", "dev", task, details);
export const ready = (task = "t1"): Entry => work("developer_ready_for_review", "dev", task);
export const critic = (task = "t1", agent = "critic"): Entry =>
  work("critic_dispatched", agent, task);
/** The whole life of a task. */
export const done = (task = "t1"): readonly Entry[] => [
  dispatch(task),
  ready(task),
  critic(task),
  work("critic_pass", "critic", task),
  work("auditor_dispatched", "auditor", task),
  work("task_complete", "auditor", task),
];

/** The first line of a rotated file, with the sequence and hash of the event before it. */
export const anchor = (line: object = {}): Entry =>
  event("log_anchor", { previous_file: "events-1.jsonl" }, { line });
/** Marks the first entry of a log whose events have hashes. */
export const chained = (first: Entry = start()): Entry => ({ ...first, chained: true });

/**
 * The lines of a log: numbered, one minute apart, in one session until an entry names another. Hashes are computed before overrides and
 * rewrites.
 */
export function linesOf(entries: readonly Entry[]): readonly string[] {
  let at = Date.parse("2026-01-17T09:00:00Z");
  let session = A;
  let sequence = 0;
  let link = NO_LINK;
  return entries.map((entry) => {
    at += (entry.later ?? 1) * 60_000;
    session = entry.session ?? session;
    const { type, agent, task, details, line = {}, rewrite = (text: string) => text } = entry;
    const timestamp = new Date(at).toISOString();
    const isEvent = type !== "log_anchor";
    if (isEvent) sequence += 1;
    const fields = {
      timestamp,
      sequence,
      session_id: session,
      event_type: type,
      agent_id: agent,
      task_id: task,
      details,
    };
    if (isEvent) link = linkOf(link, sequence, fields as LogEvent);
    const hash = entries[0]?.chained === true ? { hash: link } : {};
    return rewrite(JSON.stringify({ ...fields, ...hash, ...line }));
  });
}

/** The findings for lines. The last line may lack its line break. */
export function verify(
  lines: readonly string[],
  options: VerifyOptions & { readonly torn?: boolean } = {},
): readonly LogFinding[] {
  const { torn = false, ...rest } = options;
  const verifier = createLogVerifier(rest);
  return lines.flatMap((line, index) =>
    verifier.line(line, { terminated: !torn || index < lines.length - 1 }),
  );
}

/** `line rule` of every finding. */
export const brief = (findings: readonly LogFinding[]): readonly string[] =>
  findings.map(({ line, rule }) => `${line} ${rule}`);

/** The findings for a log of entries, in brief. */
export const judge = (...entries: readonly Entry[]): readonly string[] =>
  brief(verify(linesOf(entries)));
