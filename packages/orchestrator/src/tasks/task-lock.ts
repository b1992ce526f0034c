import { problem, type Problem } from "../http/problem.ts";

interface Lock {
  /** All calls and transitions that use the lock, including waiting ones. */
  users: number;
  calls: number;
  moves: number;
  readonly wake: Set<() => void>;
}

/** How many transitions of one task may wait for its calls. */
const MOVES = 8;

/** Separates the calls and transitions of a task, so that a call which was allowed in one phase has no effect in the next. */
export class TaskLock {
  readonly #tasks = new Map<string, Lock>();
  readonly #longest_ms: number;

  /** `longest_ms`: how long a transition waits for calls. */
  constructor(longest_ms: number) {
    this.#longest_ms = longest_ms;
  }

  /** Runs `work` when no transition of the task is running. */
  call<T>(task: string, work: (waited: boolean) => Promise<T>): Promise<T> {
    return this.#within(task, async (lock) => {
      const waited = lock.moves > 0;
      while (lock.moves > 0) await changed(lock);
      lock.calls += 1;
      try {
        return await work(waited);
      } finally {
        lock.calls -= 1;
        tell(lock);
      }
    });
  }

  /** Runs `work` when no call of the task is running. New calls wait until it has ended. Throws the problem of calls that take too long. */
  move<T>(task: string, work: () => Promise<T>): Promise<T> {
    return this.#within(task, async (lock) => {
      if (lock.calls > 0 && lock.moves >= MOVES) throw callsRunning(429);
      lock.moves += 1;
      try {
        if (lock.calls > 0 && !(await ended(lock, this.#longest_ms))) throw callsRunning(409);
        return await work();
      } finally {
        lock.moves -= 1;
        tell(lock);
      }
    });
  }

  async #within<T>(task: string, work: (lock: Lock) => Promise<T>): Promise<T> {
    const lock = this.#tasks.get(task) ?? { users: 0, calls: 0, moves: 0, wake: new Set() };
    this.#tasks.set(task, lock);
    lock.users += 1;
    try {
      return await work(lock);
    } finally {
      lock.users -= 1;
      if (lock.users === 0) this.#tasks.delete(task);
    }
  }
}

const changed = (lock: Lock): Promise<void> => new Promise((wake) => lock.wake.add(wake));

function tell({ wake }: Lock): void {
  const woken = [...wake];
  wake.clear();
  for (const one of woken) one();
}

/** Resolves to whether all calls ended in that time. */
async function ended(lock: Lock, ms: number): Promise<boolean> {
  const time = { over: false };
  const timer = setTimeout(() => {
    time.over = true;
    tell(lock);
  }, ms);
  while (lock.calls > 0 && !time.over) await changed(lock);
  clearTimeout(timer);
  return lock.calls === 0;
}

const callsRunning = (status: 409 | 429): Problem =>
  problem({
    status,
    code: "BYLAW_CALLS_UNDERWAY",
    detail: "Tool calls of this task are still running, so it cannot change its phase",
    fix: "Wait for their results, then ask again.",
    ...(status === 429 ? { headers: { "retry-after": "5" } } : {}),
  });
