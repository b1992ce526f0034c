import type { LogEvent } from "@bylaw/kernel";
import type { Claim, Receipt } from "@bylaw/store";
import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";

/** Answers by request id, kept as long as clients may retry. */
export interface Requests {
  /** The receipt of an earlier commit with this id, marked as replayed. */
  receipt(run: string, id: string): Receipt | undefined;
  keepReceipt(run: string, id: string, events: readonly LogEvent[]): void;
  claim(agent: string, id: string): Claim | undefined;
  keepClaim(agent: string, id: string, claim: Claim): void;
  /** Deletes answers that are older than the retention time. */
  forget(): void;
}

export function createRequests(
  db: Connection,
  reads: Reads,
  now: () => number,
  retention_ms: number,
): Requests {
  const find = db
    .prepare<[string, string, string, number], string>(
      "select answer from requests where scope = ? and owner = ? and id = ? and at > ?",
    )
    .pluck();
  const keep = db.prepare<[string, string, string, string, number]>(
    "insert or replace into requests (scope, owner, id, answer, at) values (?, ?, ?, ?, ?)",
  );
  const forget = db.prepare<[number]>("delete from requests where at <= ?");
  const answer = (scope: string, owner: string, id: string): unknown => {
    const text = find.get(scope, owner, id, now() - retention_ms);
    return text === undefined ? undefined : JSON.parse(text);
  };
  return {
    receipt(run, id) {
      const kept = answer("commit", run, id) as
        | { readonly first: number; readonly count: number }
        | undefined;
      return kept && { events: reads.events(run, kept.first - 1, kept.count), replayed: true };
    },
    keepReceipt(run, id, events) {
      keep.run(
        "commit",
        run,
        id,
        JSON.stringify({ first: events[0]?.sequence, count: events.length }),
        now(),
      );
    },
    claim(agent, id) {
      const kept = answer("claim", agent, id) as
        | (Omit<Claim, "event"> & { readonly sequence: number })
        | undefined;
      if (kept === undefined) return undefined;
      const { sequence, ...claim } = kept;
      const [event] = reads.events(claim.run, sequence - 1, 1);
      return event && { ...claim, event };
    },
    keepClaim(agent, id, { event, ...claim }) {
      keep.run("claim", agent, id, JSON.stringify({ ...claim, sequence: event.sequence }), now());
    },
    forget: () => void forget.run(now() - retention_ms),
  };
}
