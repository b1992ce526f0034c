import { otherFenceConflict } from "@bylaw/log";
import type { TaskWrite } from "@bylaw/store";
import type { Query } from "./database.ts";
import { keyOf, toStored } from "./names.ts";
import { Rows } from "./rows.ts";

interface TaskRow {
  readonly id: string;
  readonly queue: string;
  readonly run: string;
  readonly state: string;
  readonly phase: string | null;
  readonly owner: string | null;
  readonly fence: number;
  readonly lease_until: number;
}

/** Locks tasks until the transaction ends. `keys`: their database keys. */
export async function lockTasks(query: Query, keys: readonly string[]): Promise<LockedTasks> {
  if (keys.length === 0) return new LockedTasks([], 0);
  const [rows, [clock]] = await Promise.all([
    query<TaskRow>(
      `select id, queue, run, state, phase, owner, fence, lease_until from {schema}.tasks
        where id = any ($1) order by id for update`,
      [keys],
    ),
    query<{ readonly now: number }>("select {schema}.now_ms() as now"),
  ]);
  return new LockedTasks(rows, clock?.now ?? 0);
}

/** Tasks whose rows a transaction has locked. */
export class LockedTasks {
  readonly #rows: Rows<TaskRow>;
  readonly #now: number;

  constructor(rows: readonly TaskRow[], now: number) {
    this.#rows = new Rows(rows, ({ id }) => id);
    this.#now = now;
  }

  /** Throws a StoreConflict if the fence is not that of the task's last claim. */
  check(key: string, task: TaskWrite): void {
    const held = this.#rows.get(key);
    // An unclaimed task has fence 0, and nobody may write under that.
    if (task.fence !== (held?.fence ?? 0) || held?.fence === 0) throw otherFenceConflict(task);
    // Only a claimed task has a lease.
    if (task.lease_ms !== undefined && (task.set?.state ?? held?.state) !== "claimed")
      throw otherFenceConflict(task);
  }

  write(key: string, run: string, { fence, lease_ms, set }: TaskWrite): void {
    if (set === undefined && lease_ms === undefined) return;
    const held = this.#rows.get(key);
    const { lease_until = 0 } = held ?? {};
    this.#rows.set(key, {
      id: key,
      fence,
      run: held?.run ?? run,
      queue: set?.queue === undefined ? (held?.queue ?? "default") : keyOf(set.queue),
      state: set?.state ?? held?.state ?? "available",
      phase: set?.phase === undefined ? (held?.phase ?? null) : toStored(set.phase),
      owner: set?.owner === undefined ? (held?.owner ?? null) : set.owner && toStored(set.owner),
      lease_until:
        lease_ms === undefined
          ? lease_until
          : Math.max(this.#now + lease_ms, set === undefined ? lease_until : 0),
    });
  }

  /** Sends the statements that write the tasks, without waiting for them. */
  send(query: Query): void {
    this.#rows.send(query, { insert: INSERT, update: UPDATE }, (row) => [
      row.id,
      row.queue,
      row.run,
      row.state,
      row.phase,
      row.owner,
      row.fence,
      row.lease_until,
    ]);
  }
}

const ROWS = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
  u(id, queue, run, state, phase, owner, fence, lease_until)`;
const INSERT = `insert into {schema}.tasks (id, queue, run, state, phase, owner, fence, lease_until)
  select * from ${ROWS} order by id collate "C"`;
const UPDATE = `update {schema}.tasks t set queue = u.queue, state = u.state, phase = u.phase, owner = u.owner,
  lease_until = u.lease_until from ${ROWS} where t.id = u.id`;
