import { StoreConflict, type DocumentWrite, type StoredDocument } from "@bylaw/store";
import type { Database, Query } from "./database.ts";
import { documentOf } from "./pending-commit.ts";
import { fromStored, keyOf } from "./names.ts";

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
export async function writeDocument(database: Database, document: DocumentWrite): Promise<void> {
  const given = JSON.stringify([documentOf(document)]);
  await database.transaction(async (query) => {
    await query("select {schema}.begin_write($1), {schema}.lock_documents($2)", [
      database.settings.lock_timeout_ms,
      given,
    ]);
    const [row] = await query<{ readonly refused: string | null }>(
      "select {schema}.refuses_documents($1) as refused",
      [given],
    );
    if (row?.refused !== null && row !== undefined) {
      throw new StoreConflict(
        "document",
        `${document.kind} \`${document.id}\` is at another version than ${document.if_version}`,
      );
    }
    await query("select {schema}.write_documents($1)", [given]);
  });
}
