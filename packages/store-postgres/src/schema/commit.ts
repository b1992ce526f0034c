/**
 * What the SQL functions that write commits share. One call is one transaction. Commits of a batch that fail are reported, and the rest is
 * written. Their plans must look rows up by key regardless of statistics, because a plan made for an empty table may live long.
 */
export const COMMIT = `
-- Begins every write. Nothing here is correct under a snapshot older than a lock, or if commits are not flushed.
create function {schema}.begin_write(p_lock_ms integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_set text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'BY001', message = 'isolation level ' || current_setting('transaction_isolation');
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  -- Assigned, because performing an expression takes three times as long, and every write does this.
  v_set := set_config('lock_timeout', p_lock_ms::text, true);
  return true;
end $$;

-- Everything is locked in one order: request ids, tasks, runs, documents; each sorted by key, and new rows before existing ones.
create function {schema}.lock_requests(p_runs text[], p_requests text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
begin
  insert into {schema}.receipts (run, request_id)
    select u.run collate "C", u.request collate "C" from unnest(p_runs, p_requests) u(run, request)
    where u.request is not null order by 1, 2
    on conflict do nothing;
end $$;

create function {schema}.lock_tasks(p_tasks jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
begin
  insert into {schema}.tasks (id, queue, run, state)
    select distinct (t->>'id') collate "C", '', '', 'absent' from jsonb_array_elements(p_tasks) t
    where (t->>'fence')::bigint = 0 and t ? 'state' order by 1
    on conflict do nothing;
  perform 1 from {schema}.tasks where id in (select (t->>'id') collate "C" from jsonb_array_elements(p_tasks) t)
    order by id for update;
end $$;

create function {schema}.lock_documents(p_documents jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
begin
  insert into {schema}.documents (kind, id)
    select distinct (d->>'kind') collate "C", (d->>'id') collate "C" from jsonb_array_elements(p_documents) d order by 1, 2
    on conflict do nothing;
  perform 1 from {schema}.documents
    where (kind, id) in (select (d->>'kind') collate "C", (d->>'id') collate "C" from jsonb_array_elements(p_documents) d)
    order by kind, id for update;
end $$;

-- Locks what commits to one run need before their writers are asked, when other processes write to the run too. Returns where the log ends,
-- and which of the requests have an outcome.
create function {schema}.lock_commits(p_lock_ms integer, p_run text, p_requests text[], p_tasks jsonb)
returns table (head bigint, link text, known text[])
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
begin
  perform {schema}.begin_write(p_lock_ms);
  if p_requests is not null then
    perform {schema}.lock_requests(array_fill(p_run, array[cardinality(p_requests)]), p_requests);
  end if;
  if p_tasks is not null then
    perform {schema}.lock_tasks(p_tasks);
  end if;
  insert into {schema}.runs (run) values (p_run) on conflict do nothing;
  return query
    select r.sequence, encode(r.link, 'hex'), array(
      select q.request_id from {schema}.receipts q where q.run = p_run and q.request_id = any (p_requests) and q.first is not null)
    from {schema}.runs r where r.run = p_run for update of r;
end $$;

-- Returns the condition on the documents of one commit that does not hold, or null. Their rows must be locked.
create function {schema}.refuses_documents(p_documents jsonb) returns text
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
  select jsonb_build_array(x.kind, x.id, d->'version', x.version)::text
  from jsonb_array_elements(p_documents) with ordinality e(d, n)
  cross join lateral (
    select o.kind, o.id, case when o.value is null or o.expires_at <= {schema}.now_ms() then 0 else o.version end as version
    from {schema}.documents o where o.kind = d->>'kind' and o.id = d->>'id'
  ) x
  where d ? 'version' and x.version <> (d->>'version')::bigint
  order by n limit 1
$$;

create function {schema}.write_documents(p_documents jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
declare
  d jsonb;
begin
  -- One by one, because a commit may write a document more than once.
  for d in select e from jsonb_array_elements(p_documents) e loop
    update {schema}.documents
      set version = version + 1, value = d->>'value', expires_at = (d->>'expires')::bigint
      where kind = d->>'kind' and id = d->>'id';
  end loop;
end $$;

-- Whether a commit may write its task, whose row must be locked. Only a claimed task can have a lease.
create function {schema}.holds_fence(t jsonb) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
  select coalesce(
    (select case when state = 'absent' then (t->>'fence')::bigint = 0 else fence > 0 and fence = (t->>'fence')::bigint end
        and (not t ? 'lease' or coalesce(t->>'state', state) = 'claimed')
      from {schema}.tasks where id = t->>'id'),
    (t->>'fence')::bigint = 0)
$$;

-- Writes the task of a commit with the right fence. A renewed lease never becomes shorter.
create function {schema}.write_task(p_run text, t jsonb) returns void
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
  update {schema}.tasks set
    run = case when state = 'absent' then p_run else run end,
    queue = coalesce(t->>'queue', case when state = 'absent' then 'default' else queue end),
    phase = coalesce(t->>'phase', phase),
    owner = case when t ? 'owner' then t->>'owner' else owner end,
    state = coalesce(t->>'state', state),
    lease_until = case when t ? 'lease'
      then greatest({schema}.now_ms() + (t->>'lease')::bigint, case when t ? 'state' then 0 else lease_until end)
      else lease_until end
  where id = t->>'id' and (t ? 'state' or t ? 'lease')
$$;
`;
