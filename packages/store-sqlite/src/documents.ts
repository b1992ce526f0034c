import { expiryOf } from "@bylaw/log";
import { StoreConflict, type DocumentWrite } from "@bylaw/store";
import type { Connection } from "./engine.ts";
import type { Reads } from "./reads.ts";

/** Document writes. Call them inside a transaction. */
export interface Documents {
  /** Throws a StoreConflict if a document is not at the version that its writer expects. */
  check(writes: readonly DocumentWrite[]): void;
  write(writes: readonly DocumentWrite[]): void;
  /** Deletes documents that have expired by this time and returns their number. */
  expire(at: number): number;
}

export function createDocuments(db: Connection, reads: Reads): Documents {
  const put = db.prepare<[string, string, string | null, number | null]>(
    `insert into documents (kind, id, version, value, expires_at) values (?, ?, 1, ?, ?)
     on conflict do update set version = version + 1, value = excluded.value, expires_at = excluded.expires_at`,
  );
  const expire = db.prepare<[number]>(
    "update documents set value = null where value is not null and expires_at is not null and expires_at <= ?",
  );
  return {
    check(writes) {
      for (const { kind, id, if_version } of writes) {
        if (if_version === undefined) continue;
        const version = reads.document(kind, id)?.version ?? 0;
        if (if_version === version) continue;
        throw new StoreConflict(
          "document",
          `The ${kind} \`${id}\` has version ${version}, not ${if_version}`,
        );
      }
    },
    write(writes) {
      for (const { kind, id, value, expires_at } of writes) {
        const at = expiryOf(expires_at);
        put.run(kind, id, value, at === Infinity ? null : at);
      }
    },
    expire: (at) => expire.run(at).changes,
  };
}
