import { problem, type Problem } from "../http/problem.ts";

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

/** Limits how many tools run at once, in total and for each agent. */
export class ExecutionQueue {
  readonly #limits: ExecutionLimits;
  readonly #most: number;
  readonly #shares = new Map<string, Share>();
  readonly #queue: Waiting[] = [];
  #free: number;

  constructor(limits: ExecutionLimits) {
    const { executions, agent_executions } = limits;
    this.#limits = limits;
    // If more than one tool may run at once, no agent may use all places.
    this.#most = Math.min(agent_executions, Math.max(1, executions - 1));
    this.#free = executions;
  }

  /** Runs `work` when there is a place. `waited`: whether it had to wait. Throws the problem of an agent with too many waiting calls. */
  async take<T>(agent: string, work: (waited: boolean) => Promise<T>): Promise<T> {
    const share = this.#shares.get(agent) ?? { running: 0, waiting: 0 };
    const waits = this.#free === 0 || share.running >= this.#most;
    if (waits && share.waiting >= this.#limits.agent_executions)
      throw tooMany(this.#limits.agent_executions);
    this.#shares.set(agent, share);
    if (waits) {
      share.waiting += 1;
      await new Promise<void>((go) => this.#queue.push({ share, go }));
    } else this.#begin(share);
    try {
      return await work(waits);
    } finally {
      this.#end(agent, share);
    }
  }

  #begin(share: Share): void {
    this.#free -= 1;
    share.running += 1;
  }

  #end(agent: string, share: Share): void {
    this.#free += 1;
    share.running -= 1;
    // Skips agents that use all of their places. There are few of them.
    const next = this.#queue.findIndex((one) => one.share.running < this.#most);
    const [chosen] = next === -1 ? [] : this.#queue.splice(next, 1);
    if (chosen !== undefined) {
      chosen.share.waiting -= 1;
      this.#begin(chosen.share);
      chosen.go();
    }
    if (share.running + share.waiting === 0) this.#shares.delete(agent);
  }
}

const tooMany = (waiting: number): Problem =>
  problem({
    status: 429,
    code: "BYLAW_RATE_EXCEEDED",
    detail: `At most ${waiting} calls of one agent may wait for their turn`,
    fix: "Wait for the answers.",
    headers: { "retry-after": "1" },
  });
