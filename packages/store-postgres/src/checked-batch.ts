import type { LogEvent } from "@bylaw/kernel";
import { eventFromBody, otherFenceConflict } from "@bylaw/log";
import { StoreConflict } from "@bylaw/store";
import type { Query } from "./database.ts";
import { LINK, digitsOf, eventsIn, segmentsOf } from "./events.ts";
import { fromStored } from "./names.ts";
import { lastKnown } from "./pending-commit.ts";
import type { BatchEntry } from "./plan.ts";

/** The outcome of one commit of a batch. */
export type Outcome =
  | { readonly kind: "written"; readonly events: readonly LogEvent[] }
  | { readonly kind: "replayed"; readonly first: number; readonly last: number }
  | {
      readonly kind: "moved";
      readonly sequence: number;
      readonly link: string;
      readonly unseen: readonly LogEvent[];
    }
  | { readonly kind: "refused"; readonly error: unknown }
  | { readonly kind: "stands" };

interface Row {
  readonly item: number;
  readonly outcome: number;
  readonly number: number;
  readonly content: string | null;
  readonly hash: string | null;
}

/** The number of a batch. The database takes each number once, and in order. */
export interface Turn {
  readonly writer: string;
  readonly batch: number;
  readonly lock_timeout_ms: number;
}

const CALL =
  "select * from {schema}.commit_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/** Sends a batch as one statement, which is one transaction. Resolves to each entry with its outcome. */
export async function sendCheckedBatch(
  query: Query,
  { writer, batch, lock_timeout_ms }: Turn,
  entries: readonly BatchEntry[],
): Promise<readonly (readonly [BatchEntry, Outcome])[]> {
  const runs = new Map<string, number>();
  const places = entries.map(({ commit: { key } }) => {
    const place = runs.get(key) ?? runs.size + 1;
    runs.set(key, place);
    return place;
  });
  const written = entries.map(({ commit, writes }) => (writes ? segmentsOf(commit.bodies) : []));
  const requests = entries.map(({ commit, refusal }) =>
    refusal === undefined ? commit.request : undefined,
  );
  const tasks = entries.flatMap(({ commit, writes }, at) =>
    writes && commit.task !== undefined ? [{ commit: at + 1, ...commit.task }] : [],
  );
  const documents = entries.flatMap(({ commit, writes }, at) =>
    writes ? commit.documents.map((one) => ({ commit: at + 1, ...one })) : [],
  );
  const rows = await query<Row>(CALL, [
    ...[writer, batch, lock_timeout_ms, [...runs.keys()], places],
    written.map((segments) => segments.length),
    written.flatMap((segments) => segments.map(({ text }) => text)),
    entries.map(({ on }) => on?.sequence ?? null),
    entries.map(({ on }) => (on?.link === undefined ? null : digitsOf(on.link))),
    entries.map(({ commit }) => lastKnown(commit)),
    requests.every((request) => request === undefined)
      ? null
      : requests.map((request) => request ?? null),
    tasks.length === 0 ? null : JSON.stringify(tasks),
    documents.length === 0 ? null : JSON.stringify(documents),
  ]);
  const unseen = new Map<number, LogEvent[]>();
  for (const { item, outcome, number, content, hash } of rows) {
    if (outcome !== 0) continue;
    const entry = entries[item - 1];
    if (entry === undefined) continue;
    const events = unseen.get(item) ?? [];
    events.push(
      ...eventsIn(
        { last: number, text: content ?? "", links: hash ?? "" },
        lastKnown(entry.commit),
      ),
    );
    unseen.set(item, events);
  }
  return rows.flatMap((row) => {
    const entry = entries[row.item - 1];
    return row.outcome === 0 || entry === undefined
      ? []
      : [[entry, outcomeOf(row, entry, unseen.get(row.item) ?? [])] as const];
  });
}

function outcomeOf(
  { outcome, number, content, hash }: Row,
  { commit }: BatchEntry,
  unseen: readonly LogEvent[],
): Outcome {
  const links = hash ?? "";
  switch (outcome) {
    case 1:
      return {
        kind: "written",
        events: commit.bodies.map((body, at) =>
          eventFromBody(body, number + at, `sha256:${links.slice(at * LINK, (at + 1) * LINK)}`),
        ),
      };
    case 2:
      return { kind: "replayed", first: number, last: Number(content) };
    case 3:
      return { kind: "moved", sequence: number, link: `sha256:${links}`, unseen };
    case 4:
      return { kind: "refused", error: documentConflict(content ?? "[]") };
    case 5:
      return {
        kind: "refused",
        error: fenceConflict(commit.task as { readonly id: string; readonly fence: number }),
      };
    default:
      return { kind: "stands" };
  }
}

function documentConflict(content: string): StoreConflict {
  const [kind, id, given, version] = JSON.parse(content) as readonly [
    string,
    string,
    number,
    number,
  ];
  const name = `${fromStored(kind)} \`${fromStored(id)}\``;
  return new StoreConflict("document", `The ${name} has version ${version}, not ${given}`);
}

const fenceConflict = ({
  id,
  fence,
}: {
  readonly id: string;
  readonly fence: number;
}): StoreConflict => otherFenceConflict({ id: fromStored(id), fence });
