import type { Outcome, Turn } from "./checked-batch.ts";
import type { Query } from "./database.ts";
import { digitsOf, segmentsOf } from "./events.ts";
import type { PendingCommit } from "./pending-commit.ts";
import type { BatchEntry } from "./plan.ts";

/** What a batch appends to one run. The run's head must still be `on`. */
interface RunAppend {
  readonly key: string;
  readonly on: { readonly sequence: number; readonly link: string };
  readonly commits: PendingCommit[];
  readonly links: string[];
}

/**
 * What a batch appends to each run, sorted by key in the order of the database. `undefined` if a commit has other conditions than its place
 * in the log, or if that place is not known here.
 */
export function appendsOf(entries: readonly BatchEntry[]): readonly RunAppend[] | undefined {
  const appends = new Map<string, RunAppend>();
  for (const { commit, writes, expected } of entries) {
    const { key, request, task, documents } = commit;
    if (!writes || expected === undefined) return undefined;
    if (request !== undefined || task !== undefined || documents.length > 0) return undefined;
    const append = appends.get(key) ?? { key, on: expected.on, commits: [], links: [] };
    appends.set(key, append);
    append.commits.push(commit);
    for (const { hash } of expected.events) append.links.push(digitsOf(hash ?? ""));
  }
  // All writers lock runs in this order, by bytes, so no two writers wait for each other.
  return [...appends.values()].sort((one, other) =>
    Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)),
  );
}

/** Sends a batch as one statement, which is one transaction. Throws BY004 and writes nothing if a head has moved. */
export async function appendBatch(
  query: Query,
  { writer, batch, lock_timeout_ms }: Turn,
  appends: readonly RunAppend[],
): Promise<void> {
  const rows = appends.flatMap(segmentRowsOf);
  await query(
    "select {schema}.commit_batch_on($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    [
      writer,
      batch,
      lock_timeout_ms,
      appends.map(({ key }) => key),
      appends.map(({ on }) => on.sequence),
      appends.map(({ on }) => bytea(digitsOf(on.link))),
      appends.map(({ on, links }) => on.sequence + links.length),
      appends.map(({ links }) => bytea(links.at(-1) ?? "")),
      rows.map(({ key }) => key),
      rows.map(({ last }) => last),
      rows.map(({ length }) => length),
      rows.map(({ text }) => text),
      rows.map(({ links }) => bytea(links)),
    ],
  );
}

interface SegmentRow {
  readonly key: string;
  readonly last: number;
  readonly length: number;
  readonly text: string;
  /** The links in hexadecimal, concatenated. */
  readonly links: string;
}

function segmentRowsOf({ key, on, commits, links }: RunAppend): readonly SegmentRow[] {
  let at = 0;
  return segmentsOf(commits.flatMap(({ bodies }) => bodies)).map(({ length, text }) => {
    const own = links.slice(at, at + length).join("");
    at += length;
    return { key, last: on.sequence + at, length, text, links: own };
  });
}

const bytea = (digits: string): string => `\\x${digits}`;

/** The outcomes of a batch that was written as planned. */
export const writtenAsPlanned = (
  entries: readonly BatchEntry[],
): readonly (readonly [BatchEntry, Outcome])[] =>
  entries.map(
    (entry) => [entry, { kind: "written", events: entry.expected?.events ?? [] }] as const,
  );
