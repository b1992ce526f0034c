const PLANS = `language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off`;

const NOTE_BATCH = `
  update {schema}.writers w set batch = p_batch, firsts = '{}', touched_at = now()
    where w.id = p_writer and w.batch = p_batch - 1;
  if not found then
    raise exception using errcode = 'BY002', message = 'a batch out of its turn';
  end if;`;

/**
 * The functions that write a batch of commits which nothing but their place in the log depends on. Each run must stand at the head
 * that its writer has numbered and chained the events from. They write all or nothing: BY004 where a head has moved.
 *
 * `commit_batch_one` is for one run and one segment, which is most batches: an array of one and a join take a tenth longer.
 * `commit_batch_on` has the runs in `p_runs`, which are sorted, with their heads (`p_heads`, `p_links`) and what they are afterwards
 * (`p_ends`, `p_end_links`); its arrays of segments run in parallel. Arrays are taken apart beside each other, not by one call in `from`, which
 * keeps a copy of each; and the clock is read once, not for each row.
 */
export const BATCH_ON = `
create function {schema}.commit_batch_one(
  p_writer uuid, p_batch bigint, p_lock_ms integer,
  p_run text, p_head bigint, p_link bytea, p_last bigint, p_last_link bytea, p_length integer, p_text text, p_links bytea
) returns void
${PLANS} as $$
declare
  v_begun boolean := {schema}.begin_write(p_lock_ms);
begin
  update {schema}.runs x set sequence = p_last, link = p_last_link, changed = pg_current_xact_id()
    where x.run = p_run and x.sequence = p_head and x.link = p_link;
  if not found then
    raise exception using errcode = 'BY004', message = 'a head that has moved';
  end if;
  insert into {schema}.segments (run, last, length, text, links) values (p_run, p_last, p_length, p_text, p_links);${NOTE_BATCH}
end $$;

create function {schema}.commit_batch_on(
  p_writer uuid, p_batch bigint, p_lock_ms integer,
  p_runs text[], p_heads bigint[], p_links bytea[], p_ends bigint[], p_end_links bytea[],
  p_segment_runs text[], p_lasts bigint[], p_lengths integer[], p_texts text[], p_segment_links bytea[]
) returns void
${PLANS} as $$
declare
  v_begun boolean := {schema}.begin_write(p_lock_ms);
  v_found integer;
begin
  update {schema}.runs x set sequence = u.last, link = u.last_link, changed = pg_current_xact_id()
    from (select unnest(p_runs) as run, unnest(p_heads) as head, unnest(p_links) as link,
      unnest(p_ends) as last, unnest(p_end_links) as last_link) u
    where x.run = u.run collate "C" and x.sequence = u.head and x.link = u.link;
  get diagnostics v_found = row_count;
  if v_found <> cardinality(p_runs) then
    raise exception using errcode = 'BY004', message = 'a head that has moved';
  end if;
  insert into {schema}.segments (run, last, length, text, links, recorded_at)
    select unnest(p_segment_runs), unnest(p_lasts), unnest(p_lengths), unnest(p_texts), unnest(p_segment_links), now();${NOTE_BATCH}
end $$;
`;
