import { BylawError } from "@bylaw/kernel";
import type { Database, Query } from "../database.ts";
import { unusable } from "../options.ts";
import { VERSIONS } from "./versions.ts";

const OLDEST_SERVER = 140_000;

/**
 * Updates the schema to the latest of these versions, in one transaction. When many processes open a store at once, only one updates it.
 * Throws BYLAW_STORE_NEWER for a schema of a later version, and BYLAW_STORE_UNUSABLE for a schema or server that cannot hold a store.
 */
export async function migrate(
  database: Database,
  versions: readonly string[] = VERSIONS,
): Promise<void> {
  const { schema } = database.settings;
  await checkServer(database);
  if ((await versionOf(database.query, schema, versions.length)) === versions.length) return;
  await database.transaction(
    async (query) => {
      await query("select pg_advisory_xact_lock(hashtextextended('bylaw store ' || $1, 0))", [
        schema,
      ]);
      const [there] = await query("select from pg_catalog.pg_namespace where nspname = $1", [
        schema,
      ]);
      // Look first, because a role that owns a schema may lack the right to create one.
      if (there === undefined) await query("create schema {schema}");
      await query(
        "create table if not exists {schema}.bylaw_versions (version integer primary key, applied_at timestamptz not null default clock_timestamp())",
      );
      for (
        let version = (await versionOf(query, schema, versions.length)) + 1;
        version <= versions.length;
        version += 1
      ) {
        await query(versions[version - 1] ?? "");
        await query("insert into {schema}.bylaw_versions (version) values ($1)", [version]);
      }
    },
    { repeatable: true },
  );
}

/**
 * Checks, without changing anything, that a store of this version exists. Throws BYLAW_STORE_NEWER for a later version, and
 * BYLAW_STORE_UNUSABLE for a schema or server without a store.
 */
export async function checkSchema(database: Database, latest = VERSIONS.length): Promise<void> {
  const { schema, target } = database.settings;
  await checkServer(database);
  const version = await versionOf(database.query, schema, latest);
  if (version === 0) throw unusable(`Schema \`${schema}\` at ${target} holds no store`, FIX);
  if (version < latest)
    throw unusable(
      `Schema \`${schema}\` has version ${version}, but ${latest} is needed`,
      "Open it once for writing, which updates it",
    );
}

const FIX = "Name the right database, and the schema if it is not `bylaw`";

async function checkServer(database: Database): Promise<void> {
  const { target } = database.settings;
  const [server] = await database.query<{
    readonly version: string;
    readonly isolation: string;
    readonly encoding: string;
  }>(
    `select current_setting('server_version_num') as version, current_setting('default_transaction_isolation') as isolation,
      current_setting('server_encoding') as encoding`,
  );
  if (Number(server?.version) < OLDEST_SERVER)
    throw unusable(
      `PostgreSQL at ${target} is version ${server?.version}, but 14 or later is needed`,
    );
  if (server?.encoding !== "UTF8")
    throw unusable(
      `The database at ${target} has the encoding ${server?.encoding}, but UTF8 is needed`,
    );
  if (server?.isolation !== "read committed") {
    throw unusable(
      `The role at ${target} uses the isolation level ${server?.isolation}, but read committed is needed`,
      "Run `alter role … set default_transaction_isolation = 'read committed'`",
    );
  }
}

async function versionOf(query: Query, schema: string, latest: number): Promise<number> {
  const [there] = await query<{ readonly versions: boolean; readonly others: boolean }>(
    `select to_regclass($1) is not null as versions,
      exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')) as others`,
    [`"${schema}".bylaw_versions`, schema],
  );
  if (there?.versions !== true) {
    if (there?.others === true)
      throw unusable(`Schema \`${schema}\` holds tables of something else`, "Name another schema");
    return 0;
  }
  const [row] = await query<{ readonly version: number }>(
    "select coalesce(max(version), 0) as version from {schema}.bylaw_versions",
  );
  const version = row?.version ?? 0;
  if (version > latest) {
    throw new BylawError({
      code: "BYLAW_STORE_NEWER",
      message: `Schema \`${schema}\` has version ${version}, which is newer than this program understands (${latest})`,
      fix: "Update @bylaw/store-postgres, or name another schema",
    });
  }
  return version;
}
