/** The SQL function that begins every write. Nothing is correct under a snapshot older than a lock, or if commits are not flushed. */
export const BEGIN_WRITE = `
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
`;
