import { BylawError, type EventDraft, type LogEvent } from "@bylaw/kernel";
import { formatEventLine, type LogHead } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { eventsOf } from "./open-store.ts";
import type { Verified } from "./verified-events.ts";

/** The number of events per commit. */
const COMMIT = 500;

/**
 * Appends those events of a log to a run that the run does not have yet. Resolves to the number that it had. Throws
 * BYLAW_RUN_EXISTS before writing anything if the run holds other events. `head`: the last event of the log when it was verified.
 */
export async function importEvents(
  store: Store,
  run: string,
  log: AsyncIterable<Verified>,
  head: LogHead,
): Promise<number> {
  const there = oneByOne(eventsOf(store, run));
  let before = 0;
  let comparing = true;
  let pending: LogEvent[] = [];
  let last: LogHead = { sequence: 0 };

  async function commit(): Promise<void> {
    const [first] = pending;
    if (first === undefined) return;
    const admit = (unseen: readonly LogEvent[]): void => {
      if (unseen.length > 0) throw exists(run, `another writer added event ${first.sequence}`);
    };
    const { events } = await store.commit({
      run,
      events: pending.map(draftOf),
      seen: first.sequence - 1,
      admit,
    });
    const other = events.findIndex(({ sequence, hash }, index) => {
      const given = pending[index];
      return sequence !== given?.sequence || (given.hash !== undefined && hash !== given.hash);
    });
    if (other !== -1) throw exists(run, `event ${first.sequence + other} has another hash`);
    pending = [];
  }

  for await (const { events, head: reached } of log) {
    last = reached;
    for (const event of events) {
      const stored = comparing ? (await there.next()).value : undefined;
      if (stored !== undefined) {
        if (!isSame(stored, event)) throw exists(run, `event ${stored.sequence} differs`);
        before += 1;
        continue;
      }
      comparing = false;
      pending.push(event);
      if (pending.length >= COMMIT) await commit();
    }
  }
  // The log was read twice: once to verify it, and now to import it. Both times must give the same events.
  if (last.sequence !== head.sequence || last.hash !== head.hash) throw changed();
  if (comparing && (await there.next()).value !== undefined)
    throw exists(run, `event ${before + 1} is not in the log`);
  await commit();
  return before;
}

async function* oneByOne(
  pages: AsyncIterable<readonly LogEvent[]>,
): AsyncGenerator<LogEvent, undefined> {
  for await (const page of pages) yield* page;
  return undefined;
}

const draftOf = ({
  timestamp,
  session_id,
  event_type,
  agent_id,
  task_id,
  details,
}: LogEvent): EventDraft => ({ timestamp, session_id, event_type, agent_id, task_id, details });

// Without a hash, an event is the same if all other fields are.
function isSame({ hash, ...stored }: LogEvent, { hash: expected, ...given }: LogEvent): boolean {
  if (expected !== undefined && expected !== hash) return false;
  return formatEventLine(stored) === formatEventLine(given);
}

const exists = (run: string, what: string): BylawError =>
  new BylawError({
    code: "BYLAW_RUN_EXISTS",
    message: `Run \`${run}\` already holds other events: ${what}`,
    fix: "Import into a new run",
  });

const changed = (): BylawError =>
  new BylawError({
    code: "BYLAW_LOG_INVALID",
    message: "The log changed while it was imported",
    fix: "Import again when nobody writes to it; the import continues where it stopped",
  });
