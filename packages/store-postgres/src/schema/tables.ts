/** The tables. `{schema}` stands for the quoted name of the schema. Times are milliseconds since 1970, by the database's clock. */
export const TABLES = `
-- The one clock that decides: no client's counts.
create function {schema}.now_ms() returns bigint language sql volatile
  return floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint;

-- The head of each log. Whoever appends holds its row, so a log has no gap and each link knows the one before it.
create table {schema}.runs (
  run text collate "C" primary key,
  sequence bigint not null default 0,
  link bytea not null default '\\x0000000000000000000000000000000000000000000000000000000000000000',
  changed xid8 not null default pg_current_xact_id()
) with (fillfactor = 50);

-- Events that were written together, one row for several of them: those up to the sequence \`last\`, \`length\` of them. Each text is one line,
-- that of RFC 8785, byte for byte, over all fields but sequence and link: never jsonb, which writes numbers and keys anew. The links have
-- 32 bytes each. A row is kept whole in a page: to move a text out of it takes longer than to write it.
create table {schema}.segments (
  run text collate "C" not null,
  last bigint not null,
  length integer not null,
  text text collate "C" not null,
  links bytea not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (run, last)
) with (toast_tuple_target = 8160);

-- For people: the events one by one.
create view {schema}.events as
  select s.run, s.last - s.length + e.n as sequence, e.text, substr(s.links, ((e.n - 1) * 32 + 1)::integer, 32) as link, s.recorded_at
  from {schema}.segments s cross join lateral string_to_table(s.text, E'\\n') with ordinality e(text, n);

-- A document without a value is deleted; its row stays, so that versions go on.
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

-- What a request id came to: the events of its commit.
create table {schema}.receipts (
  run text collate "C" not null,
  request_id text collate "C" not null,
  first bigint,
  last bigint,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (run, request_id)
);

-- What a request id of an agent came to: its claim.
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

-- The names that are too long for a key, by the digest that stands for them.
create table {schema}.names (
  key text collate "C" primary key,
  name text collate "C" not null
);

-- The last batch of each open store and what it came to, written with the batch: so a store whose connection broke can know.
create table {schema}.writers (
  id uuid primary key,
  batch bigint not null default 0,
  firsts bigint[],
  touched_at timestamptz not null default clock_timestamp()
) with (fillfactor = 10);
`;
