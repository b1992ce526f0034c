import { BylawError } from "@bylaw/kernel";
import type { Connection } from "./engine.ts";
import { unusable } from "./errors.ts";

/** "Bylw": marks a file as a Bylaw store. */
const APPLICATION = 0x42_79_6c_77;

/** Each entry takes a file from the version of its index to the next. Never change one that was released. */
export const MIGRATIONS: readonly string[] = [
  `
  create table runs (
    id integer primary key,
    name text not null unique,
    head integer not null,
    link text not null
  ) strict;
  -- id: increases over all runs, so that events are written next to each other, and a watcher can read those above the last id it saw.
  -- body: the chained text, byte for byte, so that the chain can be verified from the file.
  create table events (
    id integer primary key,
    run integer not null,
    sequence integer not null,
    body text not null,
    hash text not null
  ) strict;
  -- An index of events by run, up to the id in indexed.last. Filled in bulk, because updating it with every write would be most of the work.
  create table places (
    run integer not null,
    sequence integer not null,
    event integer not null,
    primary key (run, sequence)
  ) strict, without rowid;
  create table indexed (last integer not null) strict;
  insert into indexed values (0);
  -- value: null once deleted, or expired and swept. Versions continue.
  create table documents (
    kind text not null,
    id text not null,
    version integer not null,
    value text,
    expires_at integer,
    primary key (kind, id)
  ) strict, without rowid;
  create index documents_expiry on documents (expires_at) where value is not null and expires_at is not null;
  create table tasks (
    position integer primary key,
    id text not null unique,
    run text not null,
    queue text not null,
    state text not null,
    phase text,
    owner text,
    fence integer not null,
    lease_until integer
  ) strict;
  create index tasks_available on tasks (queue, position) where state = 'available';
  create index tasks_claimed on tasks (lease_until) where state = 'claimed';
  create table requests (
    scope text not null,
    owner text not null,
    id text not null,
    answer text not null,
    at integer not null,
    primary key (scope, owner, id)
  ) strict, without rowid;
  create index requests_age on requests (at);
  `,
  // Stores the events of one transaction in one row, a segment. Existing rows stay, as segments of one event.
  `
  alter table events rename to segments;
  -- last: the sequence of the last event. length: the number of events. bodies and hashes: texts and links, one line per event.
  alter table segments rename column sequence to last;
  alter table segments rename column body to bodies;
  alter table segments rename column hash to hashes;
  alter table segments add column length integer not null default 1;
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Migrates a file to the current schema. Throws BYLAW_STORE_NEWER for a later schema, and BYLAW_STORE_UNUSABLE for another program's
 * database.
 */
export function migrate(db: Connection, file: string): void {
  if (versionOf(db, file) === MIGRATIONS.length) return;
  db.exec("begin immediate");
  try {
    // Another process may have migrated the file since.
    for (const sql of MIGRATIONS.slice(versionOf(db, file))) db.exec(sql);
    db.pragma(`application_id = ${APPLICATION}`);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
    db.exec("commit");
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw error;
  }
}

/** The schema version of a file; 0 for a new one. Changes nothing. Throws like `migrate`. */
export function versionOf(db: Connection, file: string): number {
  // One transaction, because another process may be creating the store.
  return db.transaction(() => versionIn(db, file))();
}

function versionIn(db: Connection, file: string): number {
  const number = (name: string): number => Number(db.pragma(name, { simple: true }));
  const version = number("user_version");
  const application = number("application_id");
  const fresh =
    application === 0 &&
    version === 0 &&
    db.prepare("select 1 from sqlite_schema limit 1").get() === undefined;
  if (!fresh && application !== APPLICATION) {
    throw unusable(`${file} is the database of another program`, "Name another file");
  }
  // A trigger could change what a write does.
  if (
    db.prepare("select 1 from sqlite_schema where type in ('trigger', 'view') limit 1").get() !==
    undefined
  ) {
    throw unusable(
      `${file} holds a trigger or view that no store makes`,
      "Find out who made it, and restore a backup",
    );
  }
  if (version > MIGRATIONS.length) {
    const message = `${file} has schema ${version}, which is newer than this program understands (${MIGRATIONS.length})`;
    throw new BylawError({
      code: "BYLAW_STORE_NEWER",
      message,
      fix: "Update @bylaw/store-sqlite, or name another file",
    });
  }
  return version;
}
