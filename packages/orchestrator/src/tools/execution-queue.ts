import { problem } from "../http/problem.ts";

/** Those who run tools: so many at once, and of one agent no more than its share. */
export interface ExecutionQueue {
  /** Works when it is its turn; `waited`: that was later. Throws the problem of an agent of which too many wait. */
  take<T>(agent: string, work: (waited: boolean) => Promise<T>): Promise<T>;
}

interface Share {
  running: number;
  waiting: number;
}

interface Waiting {
  readonly share: Share;
  readonly go: () => void;
}

export interface ExecutionLimits {
  readonly executions: number;
  readonly agent_executions: number;
}

export function createExecutionQueue({
  executions,
  agent_executions,
}: ExecutionLimits): ExecutionQueue {
  // Where there is more than one turn, no agent has all of them.
  const most = Math.min(agent_executions, Math.max(1, executions - 1));
  const shares = new Map<string, Share>();
  const queue: Waiting[] = [];
  let free = executions;

  function begin(share: Share): void {
    free -= 1;
    share.running += 1;
  }

  function end(agent: string, share: Share): void {
    free += 1;
    share.running -= 1;
    // Those of agents that have their share are passed over; they are few.
    const next = queue.findIndex((one) => one.share.running < most);
    const [chosen] = next === -1 ? [] : queue.splice(next, 1);
    if (chosen !== undefined) {
      chosen.share.waiting -= 1;
      begin(chosen.share);
      chosen.go();
    }
    if (share.running + share.waiting === 0) shares.delete(agent);
  }

  return {
    async take(agent, work) {
      const share = shares.get(agent) ?? { running: 0, waiting: 0 };
      const waits = free === 0 || share.running >= most;
      if (waits && share.waiting >= agent_executions) throw tooMany(agent_executions);
      shares.set(agent, share);
      if (waits) {
        share.waiting += 1;
        await new Promise<void>((go) => queue.push({ share, go }));
      } else begin(share);
      try {
        return await work(waits);
      } finally {
        end(agent, share);
      }
    },
  };
}

const tooMany = (waiting: number) =>
  problem({
    status: 429,
    code: "BYLAW_RATE_EXCEEDED",
    detail: `At most ${waiting} calls of one agent may wait for their turn`,
    fix: "Wait for the answers.",
    headers: { "retry-after": "1" },
  });
