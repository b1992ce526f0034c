/**
 * The SQL function that appends a batch of events. `p_runs`, sorted, have the heads `p_heads` and `p_links` on which the events were
 * numbered and chained, and end at `p_ends` and `p_end_links`. It writes all or nothing: BY004 if a head has moved.
 */
export const APPEND_BATCH = `
create function {schema}.append_batch(
  p_lock_ms integer, p_batch uuid,
  p_runs text[], p_heads bigint[], p_links bytea[], p_ends bigint[], p_end_links bytea[],
  p_segment_runs text[], p_lasts bigint[], p_lengths integer[], p_texts text[], p_segment_links bytea[]
) returns void
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
declare
  v_begun boolean := {schema}.begin_write(p_lock_ms);
  v_found integer;
begin
  if 0 = any (p_heads) then
    insert into {schema}.runs (run) select u.run from unnest(p_runs, p_heads) u(run, head) where u.head = 0 on conflict do nothing;
  end if;
  update {schema}.runs x set sequence = u.last, link = u.last_link, changed = pg_current_xact_id()
    from (select unnest(p_runs) as run, unnest(p_heads) as head, unnest(p_links) as link,
      unnest(p_ends) as last, unnest(p_end_links) as last_link) u
    where x.run = u.run collate "C" and x.sequence = u.head and x.link = u.link;
  get diagnostics v_found = row_count;
  if v_found <> cardinality(p_runs) then
    raise exception using errcode = 'BY004', message = 'a head that has moved';
  end if;
  insert into {schema}.segments (run, last, length, text, links, batch, recorded_at)
    select unnest(p_segment_runs), unnest(p_lasts), unnest(p_lengths), unnest(p_texts), unnest(p_segment_links), p_batch, now();
end $$;
`;
