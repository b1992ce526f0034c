import { HOLDS_FENCE, WRITE_TASK } from "./leases.ts";

/**
 * The first step of version 2: events stand in segments, a row for several of them, so that a batch costs few rows whatever its size.
 * A row of version 1 is a segment of one event as it stands, so nothing is copied however long the logs are.
 */
export const SEGMENTS = `
alter table {schema}.events rename to segments;
alter table {schema}.segments rename constraint events_pkey to segments_pkey;
-- The events up to this sequence, \`length\` of them: their texts, each of them one line, and their links of 32 bytes each.
alter table {schema}.segments rename column sequence to last;
alter table {schema}.segments rename column link to links;
alter table {schema}.segments add column length integer not null default 1;
-- Kept whole in a page: to move a text out of its row takes longer than to write it.
alter table {schema}.segments set (toast_tuple_target = 8160);

-- For people: the events one by one.
create view {schema}.events as
  select s.run, s.last - s.length + e.n as sequence, e.text, substr(s.links, ((e.n - 1) * 32 + 1)::integer, 32) as link, s.recorded_at
  from {schema}.segments s cross join lateral string_to_table(s.text, E'\\n') with ordinality e(text, n);

create or replace function {schema}.append(p_run text, p_text text) returns table (sequence bigint, link text)
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
${HOLDS_FENCE}${WRITE_TASK}`;
