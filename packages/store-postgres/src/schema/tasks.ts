/** The SQL functions for claims and sweeps. Each locks the tasks it takes until the same transaction has recorded that. */
export const TASKS = `
create function {schema}.append(p_run text, p_text text) returns table (sequence bigint, link text)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_head bigint;
  v_link bytea;
begin
  insert into {schema}.runs (run) values (p_run) on conflict do nothing;
  select x.sequence, x.link into v_head, v_link from {schema}.runs x where x.run = p_run for update;
  v_head := v_head + 1;
  v_link := sha256(v_link || int8send(v_head) || sha256(convert_to(p_text, 'UTF8')));
  insert into {schema}.segments (run, last, length, text, links) values (p_run, v_head, 1, p_text, v_link);
  update {schema}.runs x set sequence = v_head, link = v_link, changed = pg_current_xact_id() where x.run = p_run;
  sequence := v_head;
  link := encode(v_link, 'hex');
  return next;
end $$;

-- Locks one available task of a queue, or returns the earlier claim of a request id.
create function {schema}.take_task(p_lock_ms integer, p_queue text, p_agent text, p_lease_ms bigint, p_request text)
returns table (replayed boolean, task text, run text, phase text, fence bigint, lease_until bigint, sequence bigint)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now bigint;
  v_task {schema}.tasks;
begin
  perform {schema}.begin_write(p_lock_ms);
  if p_request is not null then
    insert into {schema}.claims (agent, request_id) values (p_agent, p_request) on conflict do nothing;
    if not found then
      return query select true, c.task, c.run, c.phase, c.fence, c.lease_until, c.sequence
        from {schema}.claims c where c.agent = p_agent and c.request_id = p_request;
      return;
    end if;
  end if;
  v_now := {schema}.now_ms();
  -- Tasks whose lease has ended come before available ones.
  select * into v_task from {schema}.tasks t
    where t.queue = p_queue and t.state = 'claimed' and t.lease_until > 0 and t.lease_until <= v_now
    order by t.lease_until limit 1 for update skip locked;
  if not found then
    select * into v_task from {schema}.tasks t where t.queue = p_queue and t.state = 'available'
      order by t.place limit 1 for update skip locked;
  end if;
  if found then
    replayed := false; task := v_task.id; run := v_task.run; phase := v_task.phase;
    fence := v_task.fence + 1; lease_until := v_now + p_lease_ms;
    return next;
  end if;
end $$;

create function {schema}.claim_task(p_agent text, p_owner text, p_request text, p_task text, p_run text, p_fence bigint, p_lease_until bigint, p_text text)
returns table (sequence bigint, link text)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  update {schema}.tasks t set state = 'claimed', owner = p_owner, fence = p_fence, lease_until = p_lease_until
    where t.id = p_task and t.fence = p_fence - 1;
  if not found then
    raise exception using errcode = 'BY003', message = 'a task that is not held';
  end if;
  select a.sequence, a.link into sequence, link from {schema}.append(p_run, p_text) a;
  if p_request is not null then
    update {schema}.claims c set task = p_task, run = p_run, phase = t.phase, fence = p_fence, lease_until = p_lease_until,
        sequence = claim_task.sequence
      from {schema}.tasks t where t.id = p_task and c.agent = p_agent and c.request_id = p_request;
  end if;
  return next;
end $$;

-- Locks tasks whose lease has ended.
create function {schema}.take_overdue(p_lock_ms integer, p_limit integer) returns table (task text, run text, owner text, fence bigint)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now bigint;
begin
  perform {schema}.begin_write(p_lock_ms);
  v_now := {schema}.now_ms();
  return query select t.id, t.run, coalesce(t.owner, ''), t.fence + 1 from {schema}.tasks t
    where t.state = 'claimed' and t.lease_until > 0 and t.lease_until <= v_now
    order by t.lease_until limit p_limit for update skip locked;
end $$;

create function {schema}.free_tasks(p_tasks text[], p_runs text[], p_texts text[]) returns table (run text, sequence bigint, link text)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform 1 from {schema}.runs x where x.run = any (p_runs) order by x.run for update;
  for i in 1 .. cardinality(p_tasks) loop
    run := p_runs[i];
    select a.sequence, a.link into sequence, link from {schema}.append(p_runs[i], p_texts[i]) a;
    return next;
  end loop;
  update {schema}.tasks t set state = 'available', owner = null, fence = t.fence + 1, lease_until = 0 where t.id = any (p_tasks);
end $$;

create function {schema}.free_documents(p_lock_ms integer, p_limit integer) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now bigint;
  v_freed bigint;
begin
  perform {schema}.begin_write(p_lock_ms);
  v_now := {schema}.now_ms();
  with due as materialized (
    select d.kind, d.id from {schema}.documents d where d.value is not null and d.expires_at is not null and d.expires_at <= v_now
    order by d.expires_at limit p_limit for update skip locked
  )
  update {schema}.documents d set value = null from due where d.kind = due.kind and d.id = due.id;
  get diagnostics v_freed = row_count;
  return v_freed;
end $$;
`;
