/** Whether a commit may write its task, whose row is held. A lease is that of a claim, so the task must be claimed. */
export const HOLDS_FENCE = `
create or replace function {schema}.holds_fence(t jsonb) returns boolean
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
  select coalesce(
    (select case when state = 'absent' then (t->>'fence')::bigint = 0 else fence > 0 and fence = (t->>'fence')::bigint end
        and (not t ? 'lease' or coalesce(t->>'state', state) = 'claimed')
      from {schema}.tasks where id = t->>'id'),
    (t->>'fence')::bigint = 0)
$$;
`;

/** Writes the task of a commit that holds its fence. */
export const WRITE_TASK = `
create or replace function {schema}.write_task(p_run text, t jsonb) returns void
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
  update {schema}.tasks set
    run = case when state = 'absent' then p_run else run end,
    queue = coalesce(t->>'queue', case when state = 'absent' then 'default' else queue end),
    phase = coalesce(t->>'phase', phase),
    owner = case when t ? 'owner' then t->>'owner' else owner end,
    state = coalesce(t->>'state', state),
    lease_until = case when t ? 'lease' then {schema}.now_ms() + (t->>'lease')::bigint else lease_until end
  where id = t->>'id' and (t ? 'state' or t ? 'lease')
$$;
`;
