import { expiryOf } from "@bylaw/log";
import { StoreConflict, type DocumentWrite, type StoredDocument } from "@bylaw/store";
import type { Database, Query } from "./database.ts";
import { fromStored, keyOf, toStored } from "./names.ts";
import { Rows, sendRows } from "./rows.ts";

/** Reads a document that is neither deleted nor expired, by the database's clock. */
export async function readDocument(
  query: Query,
  kind: string,
  id: string,
): Promise<StoredDocument | undefined> {
  const [row] = await query<StoredDocument>(
    `select version, value from {schema}.documents
      where kind = $1 and id = $2 and value is not null and (expires_at is null or expires_at > {schema}.now_ms())`,
    [keyOf(kind), keyOf(id)],
  );
  return row === undefined ? undefined : { version: row.version, value: fromStored(row.value) };
}

/** Writes one document. Throws a StoreConflict if it is not at version `if_version`. */
export const writeDocument = (database: Database, document: DocumentWrite): Promise<void> =>
  database.transaction(async (query) => {
    void query("select {schema}.begin_write($1)", [database.settings.lock_timeout_ms]);
    const documents = await lockDocuments(query, [document]);
    documents.check([document]);
    documents.write([document]);
    documents.send(query);
  });

interface DocumentRow {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly absent: boolean;
  readonly value?: string | null;
  readonly expires_at?: number | null;
}

const rowKey = ({ kind, id }: Pick<DocumentRow, "kind" | "id">): string =>
  JSON.stringify([kind, id]);

const stored = ({ kind, id }: DocumentWrite) => ({ kind: keyOf(kind), id: keyOf(id) });

/** Locks the documents of these writes until the transaction ends. */
export async function lockDocuments(
  query: Query,
  writes: readonly DocumentWrite[],
): Promise<LockedDocuments> {
  const rows = await sendRows<DocumentRow>(
    query,
    `select d.kind, d.id, d.version, d.value is null or coalesce(d.expires_at <= {schema}.now_ms(), false) as absent
      from unnest($1::text[], $2::text[]) u(kind, id) join {schema}.documents d on d.kind = u.kind and d.id = u.id
      order by d.kind, d.id for update of d`,
    writes.map(stored).map(({ kind, id }) => [kind, id]),
  );
  return new LockedDocuments(rows);
}

/** Documents whose rows a transaction has locked. */
export class LockedDocuments {
  readonly #rows: Rows<DocumentRow>;

  constructor(rows: readonly DocumentRow[]) {
    this.#rows = new Rows(rows, rowKey);
  }

  /** Throws a StoreConflict if a document is not at the version that its writer expects. */
  check(writes: readonly DocumentWrite[]): void {
    for (const write of writes) {
      if (write.if_version === undefined) continue;
      const row = this.#rows.get(rowKey(stored(write)));
      const version = row === undefined || row.absent ? 0 : row.version;
      if (write.if_version === version) continue;
      throw new StoreConflict(
        "document",
        `The ${write.kind} \`${write.id}\` has version ${version}, not ${write.if_version}`,
      );
    }
  }

  write(writes: readonly DocumentWrite[]): void {
    for (const write of writes) {
      const names = stored(write);
      const key = rowKey(names);
      const expires = expiryOf(write.expires_at);
      this.#rows.set(key, {
        ...names,
        version: (this.#rows.get(key)?.version ?? 0) + 1,
        absent: write.value === null,
        value: write.value === null ? null : toStored(write.value),
        expires_at: expires === Infinity ? null : expires,
      });
    }
  }

  /** Sends the statements that write the documents, without waiting for them. */
  send(query: Query): void {
    this.#rows.send(query, { insert: INSERT, update: UPDATE }, (row) => [
      row.kind,
      row.id,
      row.version,
      row.value,
      row.expires_at,
    ]);
  }
}

const ROWS =
  "unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[]) u(kind, id, version, value, expires_at)";
const INSERT = `insert into {schema}.documents (kind, id, version, value, expires_at)
  select * from ${ROWS} order by kind collate "C", id collate "C"`;
const UPDATE = `update {schema}.documents d set version = u.version, value = u.value, expires_at = u.expires_at
  from ${ROWS} where d.kind = u.kind and d.id = u.id`;
