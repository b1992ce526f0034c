import type { Json } from "@bylaw/kernel";
import { Ledger } from "./crash-ledger.ts";
import {
  CLAIMS,
  openStore,
  type Acknowledged,
  type StoreModule,
  type Tried,
} from "./crash-lines.ts";
import { killWriters, type KillOptions } from "./kill-writers.ts";
import { draft, upTo } from "./kit.ts";

/** How a store is tested with killed writers. */
export interface CrashOptions extends Pick<KillOptions, "rounds" | "writers" | "seed" | "disturb"> {
  readonly store: StoreModule;
  /**
   * After how many rounds the store is compared with what was acknowledged. Default: 5. In between, writers find what others left behind.
   */
  readonly check_every?: number;
}

/** The result. `faults` is empty if every promise holds. */
export interface CrashReport {
  readonly rounds: number;
  readonly kills: number;
  readonly events: number;
  readonly acknowledged: number;
  /** Writes that are in the store although their writer died before they were acknowledged. */
  readonly unacknowledged: number;
  readonly faults: readonly string[];
}

const TASKS_PER_ROUND = 12;

/**
 * Kills writers of a store with SIGKILL at random points. Acknowledged writes must be there once, in order, with their documents, in a
 * valid chain. Others must be complete or missing. No task may be claimed twice.
 */
export async function crashStore(options: CrashOptions): Promise<CrashReport> {
  const { store: description, rounds, writers = 3, check_every = 5 } = options;
  const runs = [
    "tasks",
    "shared-0",
    "shared-2",
    ...upTo(writers).map((writer) => `own-${writer - 1}`),
  ];
  const ledger = new Ledger(runs);
  const lines: Json[] = [];
  const faults: string[] = [];
  const checkWith = async (checked: Ledger): Promise<void> => {
    const store = await openStore(description);
    try {
      faults.push(...(await checked.check(store)));
    } finally {
      await store.close();
    }
  };
  await addTasks(description, rounds * TASKS_PER_ROUND);
  const kills = await killWriters({
    ...options,
    script: new URL("crash-writer.js", import.meta.url).href,
    args: [JSON.stringify(description)],
    async onRound(printed, round) {
      lines.push(...printed);
      for (const line of printed) ledger.note(line as unknown as Tried | Acknowledged);
      if (round % check_every === 0) await checkWith(ledger);
    },
  });
  // Everything again from the beginning: what was there once must still be there.
  const again = new Ledger(runs);
  for (const line of lines) again.note(line as unknown as Tried | Acknowledged);
  await checkWith(again);
  return { rounds, kills, acknowledged: again.acknowledged, ...again.found, faults };
}

async function addTasks(description: StoreModule, count: number): Promise<void> {
  const store = await openStore(description);
  try {
    const set = { state: "available", queue: CLAIMS } as const;
    await Promise.all(
      upTo(count).map((n) =>
        store.commit({
          run: "tasks",
          seen: n,
          events: [draft()],
          task: { id: `task-${n}`, fence: 0, set },
        }),
      ),
    );
  } finally {
    await store.close();
  }
}
