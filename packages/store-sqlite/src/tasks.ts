import { otherFenceConflict } from "@bylaw/log";
import type { Claim, ExpiredLease, TaskWrite } from "@bylaw/store";
import type { Connection } from "./engine.ts";
import type { TaskRow } from "./rows.ts";

/** Task writes. Call them inside a transaction. */
export interface Tasks {
  /** Throws a StoreConflict if the fence is not that of the task's last claim. */
  check(task: TaskWrite): void;
  /** `at`: the time from which a renewed lease counts. */
  write(run: string, task: TaskWrite, at: number): void;
  /** A task that may be claimed: it is available, or its lease has ended. */
  free(queue: string, at: number): TaskRow | undefined;
  /** The claim that taking this task gives. */
  claimOf(task: TaskRow, lease_until: number): Omit<Claim, "event">;
  take(task: TaskRow, agent: string, lease_until: number): void;
  /** The tasks whose lease has ended by this time, each with the lease as it will be after its release. */
  late(at: number): readonly { readonly position: number; readonly lease: ExpiredLease }[];
  release(position: number): void;
}

type Set = [string, string | null, string | null, number, string | null, string];

const prepareStatements = (db: Connection) => ({
  held: db.prepare<[string], { readonly fence: number; readonly state: string }>(
    "select fence, state from tasks where id = ?",
  ),
  create: db.prepare<[string, string, string, string, string | null, string | null]>(
    "insert into tasks (id, run, queue, state, phase, owner, fence) values (?, ?, ?, ?, ?, ?, 0)",
  ),
  update: db.prepare<Set>(
    `update tasks set state = ?, queue = coalesce(?, queue), phase = coalesce(?, phase), owner = iif(?, ?, owner) where id = ?`,
  ),
  renew: db.prepare<[number, string]>(
    "update tasks set lease_until = max(?, coalesce(lease_until, 0)) where id = ?",
  ),
  lease: db.prepare<[number, string]>("update tasks set lease_until = ? where id = ?"),
  available: db.prepare<[string], TaskRow>(
    "select position, id, run, phase, owner, fence from tasks where queue = ? and state = 'available' order by position limit 1",
  ),
  overdue: db.prepare<[string, number], TaskRow>(
    `select position, id, run, phase, owner, fence from tasks
     where queue = ? and state = 'claimed' and lease_until <= ? order by lease_until limit 1`,
  ),
  take: db.prepare<[string, number, number, number]>(
    "update tasks set state = 'claimed', owner = ?, fence = ?, lease_until = ? where position = ?",
  ),
  late: db.prepare<[number], TaskRow>(
    "select position, id, run, phase, owner, fence from tasks where state = 'claimed' and lease_until <= ? order by position",
  ),
  release: db.prepare<[number]>(
    "update tasks set state = 'available', owner = null, fence = fence + 1, lease_until = null where position = ?",
  ),
});

export function createTasks(db: Connection): Tasks {
  const sql = prepareStatements(db);
  return {
    check(task) {
      const found = sql.held.get(task.id);
      // An unclaimed task has fence 0, and nobody may write under that.
      if (task.fence !== (found?.fence ?? 0) || found?.fence === 0) throw otherFenceConflict(task);
      // Only a claimed task has a lease.
      if (task.lease_ms !== undefined && (task.set?.state ?? found?.state) !== "claimed")
        throw otherFenceConflict(task);
    },
    write(run, { id, fence, lease_ms, set }, at) {
      if (lease_ms !== undefined)
        (set === undefined ? sql.renew : sql.lease).run(at + lease_ms, id);
      if (set === undefined) return;
      const { state, queue = null, phase = null, owner } = set;
      if (fence === 0) sql.create.run(id, run, queue ?? "default", state, phase, owner ?? null);
      else sql.update.run(state, queue, phase, owner === undefined ? 0 : 1, owner ?? null, id);
    },
    free: (queue, at) => sql.available.get(queue) ?? sql.overdue.get(queue, at),
    claimOf({ id, run, fence, phase }, lease_until) {
      return {
        task: id,
        run,
        fence: fence + 1,
        lease_until: new Date(lease_until).toISOString(),
        ...(phase === null ? {} : { phase }),
      };
    },
    take: ({ position, fence }, agent, lease_until) =>
      void sql.take.run(agent, fence + 1, lease_until, position),
    late: (at) =>
      sql.late.all(at).map(({ position, id, run, owner, fence }) => {
        return { position, lease: { task: id, run, owner: owner ?? "", fence: fence + 1 } };
      }),
    release: (position) => void sql.release.run(position),
  };
}
