import { StoreConflict, type Claim, type ExpiredLease, type TaskWrite } from "@bylaw/kernel";
import type { Connection } from "./engine.ts";
import type { TaskRow } from "./rows.ts";

/** Writes of tasks, inside of a transaction. */
export interface Tasks {
  /** Throws a StoreConflict where the fence is not that of the task's last claim. */
  check(task: TaskWrite): void;
  write(run: string, task: TaskWrite): void;
  /** A task that may be claimed; one whose lease has ended may. */
  free(queue: string, at: number): TaskRow | undefined;
  /** What the claim of a task would come to. */
  claimOf(task: TaskRow, lease_until: number): Omit<Claim, "event">;
  take(task: TaskRow, agent: string, lease_until: number): void;
  /** The tasks whose lease has ended by this time, and what their release would come to. */
  late(at: number): readonly { readonly position: number; readonly lease: ExpiredLease }[];
  release(position: number): void;
}

type Set = [string, string | null, string | null, number, string | null, string];

export function createTasks(db: Connection): Tasks {
  const fence = db.prepare<[string], number>("select fence from tasks where id = ?").pluck();
  const create = db.prepare<[string, string, string, string, string | null, string | null]>(
    "insert into tasks (id, run, queue, state, phase, owner, fence) values (?, ?, ?, ?, ?, ?, 0)",
  );
  const update = db.prepare<Set>(
    `update tasks set state = ?, queue = coalesce(?, queue), phase = coalesce(?, phase), owner = iif(?, ?, owner) where id = ?`,
  );
  const available = db.prepare<[string], TaskRow>(
    "select position, id, run, phase, owner, fence from tasks where queue = ? and state = 'available' order by position limit 1",
  );
  const overdue = db.prepare<[string, number], TaskRow>(
    `select position, id, run, phase, owner, fence from tasks
     where queue = ? and state = 'claimed' and lease_until <= ? order by lease_until limit 1`,
  );
  const take = db.prepare<[string, number, number, number]>(
    "update tasks set state = 'claimed', owner = ?, fence = ?, lease_until = ? where position = ?",
  );
  const late = db.prepare<[number], TaskRow>(
    "select position, id, run, phase, owner, fence from tasks where state = 'claimed' and lease_until <= ? order by position",
  );
  const release = db.prepare<[number]>(
    "update tasks set state = 'available', owner = null, fence = fence + 1, lease_until = null where position = ?",
  );
  return {
    check(task) {
      const held = fence.get(task.id);
      // A task that nobody has claimed yet has fence 0, which is nobody's to write under.
      if (task.fence === (held ?? 0) && held !== 0) return;
      throw new StoreConflict("fence", `Unexpected fence ${task.fence} of task \`${task.id}\`, expected that of its claim`);
    },
    write(run, { id, fence: held, set }) {
      if (set === undefined) return;
      const { state, queue = null, phase = null, owner } = set;
      if (held === 0) create.run(id, run, queue ?? "default", state, phase, owner ?? null);
      else update.run(state, queue, phase, owner === undefined ? 0 : 1, owner ?? null, id);
    },
    free: (queue, at) => available.get(queue) ?? overdue.get(queue, at),
    claimOf({ id, run, fence: held, phase }, lease_until) {
      return { task: id, run, fence: held + 1, lease_until: new Date(lease_until).toISOString(), ...(phase === null ? {} : { phase }) };
    },
    take: ({ position, fence: held }, agent, lease_until) => void take.run(agent, held + 1, lease_until, position),
    late: (at) =>
      late.all(at).map(({ position, id, run, owner, fence: held }) => {
        return { position, lease: { task: id, run, owner: owner ?? "", fence: held + 1 } };
      }),
    release: (position) => void release.run(position),
  };
}
