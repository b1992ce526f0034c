/**
 * The SQL function that writes a batch of commits of any kind. Its arrays run in parallel, with one element for each commit, except for
 * `p_runs` (each run once) and `p_texts` (the segments of all commits, concatenated; `p_parts` has their numbers).
 *
 * Returns one row for each commit with its outcome: 1 written (first sequence, links), 2 replayed (first, last), 3 the head has moved
 * (head, link), 4 a document's condition or 5 a fence does not hold (what), 6 nothing to write and the head is unchanged. Rows of outcome 0
 * are segments that the writer of a moved commit has not seen (last sequence, texts, links).
 */
export const CHECKED_BATCH = `
create function {schema}.commit_batch(
  p_writer uuid, p_batch bigint, p_lock_ms integer,
  p_runs text[], p_run integer[], p_parts integer[], p_texts text[],
  p_head bigint[], p_head_link text[], p_after bigint[],
  p_requests text[], p_tasks jsonb, p_documents jsonb
) returns table (item integer, outcome integer, number bigint, content text, hash text)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
declare
  v_heads bigint[];
  v_links bytea[];
  v_before bigint[];
  v_firsts bigint[] := array_fill(0::bigint, array[cardinality(p_run)]);
  v_moved integer[];
  v_idle boolean := false;
  v_at integer := 0;
  v_head bigint;
  v_link bytea;
  v_line text;
  v_part bytea;
  v_hex text;
  v_task jsonb;
  v_documents jsonb;
  v_first bigint;
  v_last bigint;
  r integer;
  o_runs text[] := '{}';
  o_lasts bigint[] := '{}';
  o_lengths integer[] := '{}';
  o_links bytea[] := '{}';
  o_texts text[] := '{}';
begin
  perform {schema}.begin_write(p_lock_ms);
  if p_requests is not null then
    perform {schema}.lock_requests(
      array(select p_runs[u.r] from unnest(p_run, p_parts) with ordinality u(r, n, i) where u.n > 0 order by u.i),
      array(select u.q from unnest(p_requests, p_parts) with ordinality u(q, n, i) where u.n > 0 order by u.i));
  end if;
  if p_tasks is not null then
    perform {schema}.lock_tasks(p_tasks);
  end if;
  if (select count(*) from {schema}.runs x where x.run = any (p_runs)) < cardinality(p_runs) then
    insert into {schema}.runs (run)
      select distinct (p_runs[u.r]) collate "C" from unnest(p_run, p_parts) u(r, n) where u.n > 0 order by 1
      on conflict do nothing;
  end if;
  with held as materialized (
    select x.run, x.sequence, x.link from {schema}.runs x where x.run = any (p_runs) order by x.run for update
  )
  select array_agg(coalesce(held.sequence, 0) order by u.n), array_agg(coalesce(held.link, decode(repeat('00', 32), 'hex')) order by u.n)
    into v_heads, v_links
    from unnest(p_runs) with ordinality u(run, n) left join held on held.run = u.run collate "C";
  v_before := v_heads;
  if p_documents is not null then
    perform {schema}.lock_documents(p_documents);
  end if;

  for i in 1 .. cardinality(p_run) loop
    r := p_run[i];
    v_at := v_at + p_parts[i];
    item := i;
    content := null;
    hash := null;
    if p_requests is not null and p_requests[i] is not null then
      select q.first, q.last into v_first, v_last
        from {schema}.receipts q where q.run = p_runs[r] and q.request_id = p_requests[i];
      if v_first is not null then
        outcome := 2; number := v_first; content := v_last::text; v_idle := true;
        return next;
        continue;
      end if;
    end if;
    if p_head[i] is not null and (p_head[i] <> v_heads[r] or decode(p_head_link[i], 'hex') <> v_links[r]) then
      outcome := 3; number := v_heads[r]; hash := encode(v_links[r], 'hex');
      v_moved := v_moved || i;
      v_idle := true;
      return next;
      continue;
    end if;
    if p_parts[i] = 0 then
      outcome := 6; number := v_heads[r]; hash := encode(v_links[r], 'hex');
      return next;
      continue;
    end if;
    v_task := null;
    if p_tasks is not null then
      select t into v_task from jsonb_array_elements(p_tasks) t where (t->>'commit')::integer = i;
    end if;
    if p_documents is not null then
      select jsonb_agg(d order by n) into v_documents from jsonb_array_elements(p_documents) with ordinality e(d, n)
        where (d->>'commit')::integer = i;
      content := {schema}.refuses_documents(v_documents);
      if content is not null then
        outcome := 4; number := 0; v_idle := true;
        return next;
        continue;
      end if;
    end if;
    if v_task is not null then
      if not {schema}.holds_fence(v_task) then
        outcome := 5; number := 0; v_idle := true;
        return next;
        continue;
      end if;
      perform {schema}.write_task(p_runs[r], v_task);
    end if;
    if p_documents is not null then
      perform {schema}.write_documents(v_documents);
    end if;
    v_head := v_heads[r];
    v_link := v_links[r];
    v_hex := '';
    for k in v_at - p_parts[i] + 1 .. v_at loop
      v_first := v_head;
      v_part := '';
      foreach v_line in array string_to_array(p_texts[k], E'\\n') loop
        v_head := v_head + 1;
        v_link := sha256(v_link || int8send(v_head) || sha256(convert_to(v_line, 'UTF8')));
        v_part := v_part || v_link;
      end loop;
      v_hex := v_hex || encode(v_part, 'hex');
      o_runs := array_append(o_runs, p_runs[r]);
      o_lasts := array_append(o_lasts, v_head);
      o_lengths := array_append(o_lengths, (v_head - v_first)::integer);
      o_links := array_append(o_links, v_part);
      o_texts := array_append(o_texts, p_texts[k]);
    end loop;
    v_firsts[i] := v_heads[r] + 1;
    if p_requests is not null and p_requests[i] is not null then
      update {schema}.receipts q set first = v_heads[r] + 1, last = v_head where q.run = p_runs[r] and q.request_id = p_requests[i];
    end if;
    outcome := 1; number := v_heads[r] + 1; hash := v_hex;
    v_heads[r] := v_head;
    v_links[r] := v_link;
    return next;
  end loop;

  insert into {schema}.segments (run, last, length, text, links)
    select unnest(o_runs), unnest(o_lasts), unnest(o_lengths), unnest(o_texts), unnest(o_links);
  update {schema}.runs x set sequence = u.head, link = u.link, changed = pg_current_xact_id()
    from (select unnest(p_runs) as run, unnest(v_before) as before, unnest(v_heads) as head, unnest(v_links) as link) u
    where x.run = u.run collate "C" and u.head > u.before;
  update {schema}.writers w set batch = p_batch, firsts = v_firsts, touched_at = clock_timestamp()
    where w.id = p_writer and w.batch = p_batch - 1;
  if not found then
    raise exception using errcode = 'BY002', message = 'a batch out of its turn';
  end if;
  if v_idle then
    perform {schema}.tidy(p_runs, p_requests, p_tasks, p_documents);
  end if;
  if v_moved is not null then
    return query
      select m.i, 0, e.last, e.text, encode(e.links, 'hex') from unnest(v_moved) m(i)
      cross join lateral (
        select x.last, x.text, x.links from {schema}.segments x
        where x.run = p_runs[p_run[m.i]] and x.last > p_after[m.i] order by x.last limit 100
      ) e order by m.i, e.last;
  end if;
end $$;

-- Deletes the placeholder rows that were inserted to be locked, for commits that were then not written.
create function {schema}.tidy(p_runs text[], p_requests text[], p_tasks jsonb, p_documents jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
begin
  delete from {schema}.runs where run = any (p_runs) and sequence = 0;
  if p_requests is not null then
    delete from {schema}.receipts where run = any (p_runs) and request_id = any (p_requests) and first is null;
  end if;
  if p_tasks is not null then
    delete from {schema}.tasks where state = 'absent' and id in (select (t->>'id') collate "C" from jsonb_array_elements(p_tasks) t);
  end if;
  if p_documents is not null then
    delete from {schema}.documents where version = 0
      and (kind, id) in (select (d->>'kind') collate "C", (d->>'id') collate "C" from jsonb_array_elements(p_documents) d);
  end if;
end $$;

-- The outcome of a batch whose answer was lost. If it was not written, this call takes its number, so it never can be.
create function {schema}.settle_batch(p_lock_ms integer, p_writer uuid, p_batch bigint) returns table (firsts bigint[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_batch bigint;
  v_firsts bigint[];
begin
  perform {schema}.begin_write(p_lock_ms);
  insert into {schema}.writers (id) values (p_writer) on conflict do nothing;
  select w.batch, w.firsts into v_batch, v_firsts from {schema}.writers w where w.id = p_writer for update;
  if v_batch < p_batch then
    update {schema}.writers w set batch = p_batch, firsts = null where w.id = p_writer;
  elsif v_firsts is not null then
    firsts := v_firsts;
    return next;
  end if;
end $$;
`;
