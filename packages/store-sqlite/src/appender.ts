import { freezeJson, type EventDraft, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { NO_LINK, chainedText, checkDraft, linkOfText } from "@bylaw/log";
import type { Connection } from "./engine.ts";
import { eventOf, type RunRow } from "./rows.ts";

/** Numbers, chains and writes events, inside of a transaction. */
export type Append = (run: string, drafts: readonly EventDraft[], touched: number) => readonly LogEvent[];

export function createAppend(db: Connection): Append {
  const find = db.prepare<[string], RunRow>("select id, head, link from runs where name = ?");
  const create = db.prepare<[string, string], RunRow>(
    "insert into runs (name, head, link, touched) values (?, 0, ?, 0) returning id, head, link",
  );
  const insert = db.prepare<[number, number, string, string]>("insert into events (run, sequence, body, hash) values (?, ?, ?, ?)");
  const advance = db.prepare<[number, string, number, number]>("update runs set head = ?, link = ?, touched = ? where id = ?");
  return (run, drafts, touched) => {
    const { id, head, link } = find.get(run) ?? (create.get(run, NO_LINK) as RunRow);
    let sequence = head;
    let hash = link;
    const events = drafts.map((draft) => {
      checkDraft(draft);
      sequence += 1;
      const body = chainedText({ ...draft, details: freezeJson(draft.details) as JsonObject });
      hash = linkOfText(hash, sequence, body);
      insert.run(id, sequence, body, hash);
      return eventOf({ sequence, body, hash });
    });
    advance.run(sequence, hash, touched, id);
    return events;
  };
}
