import { problem } from "../http/problem.ts";

/** Sees to it that no call is made at a task while it moves on: what was allowed in one phase does nothing in the next. */
export interface TaskLock {
  /** Works when nothing moves the task. */
  call<T>(task: string, work: (waited: boolean) => Promise<T>): Promise<T>;
  /** Works when no call is being made at the task; others wait until it has. Throws the problem of calls that take too long. */
  move<T>(task: string, work: () => Promise<T>): Promise<T>;
}

interface At {
  /** All who are here, also those who wait. */
  users: number;
  calls: number;
  moves: number;
  readonly wake: Set<() => void>;
}

/** How many transitions of one task wait for its calls. */
const MOVES = 8;

/** `longest_ms`: how long a transition waits for calls. */
export function createTaskLock(longest_ms: number): TaskLock {
  const tasks = new Map<string, At>();

  async function within<T>(task: string, work: (at: At) => Promise<T>): Promise<T> {
    const at = tasks.get(task) ?? { users: 0, calls: 0, moves: 0, wake: new Set() };
    tasks.set(task, at);
    at.users += 1;
    try {
      return await work(at);
    } finally {
      at.users -= 1;
      if (at.users === 0) tasks.delete(task);
    }
  }

  return {
    call: (task, work) =>
      within(task, async (at) => {
        const waited = at.moves > 0;
        while (at.moves > 0) await changed(at);
        at.calls += 1;
        try {
          return await work(waited);
        } finally {
          at.calls -= 1;
          tell(at);
        }
      }),
    move: (task, work) =>
      within(task, async (at) => {
        if (at.calls > 0 && at.moves >= MOVES) throw callsRunning(429);
        at.moves += 1;
        try {
          if (at.calls > 0 && !(await ended(at, longest_ms))) throw callsRunning(409);
          return await work();
        } finally {
          at.moves -= 1;
          tell(at);
        }
      }),
  };
}

const changed = (at: At): Promise<void> => new Promise((wake) => at.wake.add(wake));

function tell({ wake }: At): void {
  const woken = [...wake];
  wake.clear();
  for (const one of woken) one();
}

/** Whether all calls ended in that time. */
async function ended(at: At, ms: number): Promise<boolean> {
  const time = { over: false };
  const timer = setTimeout(() => {
    time.over = true;
    tell(at);
  }, ms);
  while (at.calls > 0 && !time.over) await changed(at);
  clearTimeout(timer);
  return at.calls === 0;
}

const callsRunning = (status: 409 | 429) =>
  problem({
    status,
    code: "BYLAW_CALLS_UNDERWAY",
    detail: "Tool calls of this task are still running, so it cannot change its phase",
    fix: "Wait for their results, then ask again.",
    ...(status === 429 ? { headers: { "retry-after": "5" } } : {}),
  });
