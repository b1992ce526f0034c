import type { StoredDocument } from "@bylaw/kernel";
import type { Query } from "./database.ts";
import { fromStored, keyOf } from "./names.ts";

/** A document that is neither deleted nor expired, by the database's clock. */
export async function readDocument(query: Query, kind: string, id: string): Promise<StoredDocument | undefined> {
  const [row] = await query<StoredDocument>(
    `select version, value from {schema}.documents
      where kind = $1 and id = $2 and value is not null and (expires_at is null or expires_at > {schema}.now_ms())`,
    [keyOf(kind), keyOf(id)],
  );
  return row === undefined ? undefined : { version: row.version, value: fromStored(row.value) };
}
