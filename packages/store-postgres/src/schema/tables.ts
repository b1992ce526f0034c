/** The tables. `{schema}` stands for the quoted name of the schema. Times are milliseconds since 1970, by the database's clock. */
export const TABLES = `
-- The only clock that decides. Clocks of clients do not count.
create function {schema}.now_ms() returns bigint language sql volatile
  return floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint;

-- The head of each log. Every writer locks its row, so a log has no gaps and each link follows the one before it.
create table {schema}.runs (
  run text collate "C" primary key,
  sequence bigint not null default 0,
  link bytea not null default '\\x0000000000000000000000000000000000000000000000000000000000000000',
  changed xid8 not null default pg_current_xact_id()
) with (fillfactor = 50);

-- Events that were written together, in one row: \`length\` events up to the sequence \`last\`. Each text is one line with the RFC 8785 form of all
-- fields but sequence and link, byte for byte. It is never jsonb, which would rewrite numbers and keys. The links have 32 bytes each.
-- A store finds its own \`batch\` again after its connection broke. A row fits a page, because moving a text out of the page takes longer than writing it.
create table {schema}.segments (
  run text collate "C" not null,
  last bigint not null,
  length integer not null,
  text text collate "C" not null,
  links bytea not null,
  batch uuid,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (run, last)
) with (toast_tuple_target = 8160);

-- For SQL queries: one row per event.
create view {schema}.events as
  select s.run, s.last - s.length + e.n as sequence, e.text, substr(s.links, ((e.n - 1) * 32 + 1)::integer, 32) as link, s.recorded_at
  from {schema}.segments s cross join lateral string_to_table(s.text, E'\\n') with ordinality e(text, n);

-- A document without a value is deleted. Its row stays, so that its versions continue.
create table {schema}.documents (
  kind text collate "C" not null,
  id text collate "C" not null,
  version bigint not null default 0,
  value text collate "C",
  expires_at bigint,
  primary key (kind, id)
) with (fillfactor = 70);
create index documents_expiring on {schema}.documents (expires_at) where value is not null and expires_at is not null;

create table {schema}.tasks (
  id text collate "C" primary key,
  place bigint not null generated always as identity,
  queue text collate "C" not null,
  run text collate "C" not null,
  state text collate "C" not null,
  phase text collate "C",
  owner text collate "C",
  fence bigint not null default 0,
  lease_until bigint not null default 0
) with (fillfactor = 70);
create index tasks_available on {schema}.tasks (queue, place) where state = 'available';
create index tasks_claimed on {schema}.tasks (queue, lease_until) where state = 'claimed';
create index tasks_leased on {schema}.tasks (lease_until) where state = 'claimed';

-- The outcome of a request id: the events of its commit.
create table {schema}.receipts (
  run text collate "C" not null,
  request_id text collate "C" not null,
  first bigint,
  last bigint,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (run, request_id)
);

-- The outcome of an agent's request id: its claim.
create table {schema}.claims (
  agent text collate "C" not null,
  request_id text collate "C" not null,
  task text collate "C",
  run text collate "C",
  phase text collate "C",
  fence bigint,
  lease_until bigint,
  sequence bigint,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (agent, request_id)
);

-- Names that are too long for a key, by their digest.
create table {schema}.names (
  key text collate "C" primary key,
  name text collate "C" not null
);
`;
