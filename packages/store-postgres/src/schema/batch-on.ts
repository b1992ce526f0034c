/**
 * The second step of version 2: the function that writes a batch of commits which nothing but their place in the log depends on.
 * Each run of `p_runs`, which are sorted, must stand at the head that its writer has numbered and chained the events from
 * (`p_heads`, `p_links`), and then stands at `p_ends`, `p_end_links`. It writes all of them or none: BY004 where a head has moved.
 * The arrays of segments run in parallel.
 */
export const BATCH_ON = `
create function {schema}.commit_batch_on(
  p_writer uuid, p_batch bigint, p_lock_ms integer,
  p_runs text[], p_heads bigint[], p_links bytea[], p_ends bigint[], p_end_links bytea[],
  p_segment_runs text[], p_lasts bigint[], p_lengths integer[], p_texts text[], p_segment_links bytea[]
) returns void
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
declare
  v_found integer;
begin
  perform {schema}.begin_write(p_lock_ms);
  -- One run and one segment, which is most batches, are written by their keys: a join takes half as long again.
  if cardinality(p_runs) = 1 then
    update {schema}.runs x set sequence = p_ends[1], link = p_end_links[1], changed = pg_current_xact_id()
      where x.run = p_runs[1] and x.sequence = p_heads[1] and x.link = p_links[1];
  else
    update {schema}.runs x set sequence = u.last, link = u.last_link, changed = pg_current_xact_id()
      from unnest(p_runs, p_heads, p_links, p_ends, p_end_links) u(run, head, link, last, last_link)
      where x.run = u.run collate "C" and x.sequence = u.head and x.link = u.link;
  end if;
  get diagnostics v_found = row_count;
  if v_found <> cardinality(p_runs) then
    raise exception using errcode = 'BY004', message = 'a head that has moved';
  end if;
  if cardinality(p_lasts) = 1 then
    insert into {schema}.segments (run, last, length, text, links)
      values (p_segment_runs[1], p_lasts[1], p_lengths[1], p_texts[1], p_segment_links[1]);
  else
    insert into {schema}.segments (run, last, length, text, links)
      select * from unnest(p_segment_runs, p_lasts, p_lengths, p_texts, p_segment_links);
  end if;
  update {schema}.writers w set batch = p_batch, firsts = '{}', touched_at = clock_timestamp()
    where w.id = p_writer and w.batch = p_batch - 1;
  if not found then
    raise exception using errcode = 'BY002', message = 'a batch out of its turn';
  end if;
end $$;
`;
