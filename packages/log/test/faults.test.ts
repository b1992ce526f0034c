import { asyncProperty, assert, integer } from "fast-check";
import { expect, it } from "vitest";
import { createKernel, type LogEvent, type Sink, type View } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import {
  createLogVerifier,
  createMemoryStore,
  formatEventLine,
  openRun,
  type Outcome,
  type Run,
} from "../src/index.ts";
import { counter, counts, logOf, sequencesOf, settled, tool, upTo, withSinks } from "./run-kit.ts";

/** Numbers from 0 to 1 from a seed, so that a failure can be reproduced. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

/** A store that is sometimes slow, conflicts, fails, or fails to confirm what it wrote. */
function unreliable(store: Store, roll: () => number): Store {
  const pause = async (): Promise<void> => (roll() < 0.3 ? settled() : undefined);
  return {
    ...store,
    async commit(commit) {
      if (roll() < 0.1) throw new StoreConflict("seen", "Unexpected event");
      if (roll() < 0.05) throw new Error("disk full");
      await pause();
      const receipt = await store.commit(commit);
      await pause();
      if (roll() < 0.05) throw new Error("connection lost");
      return receipt;
    },
    async events(...of) {
      if (roll() < 0.05) throw new Error("connection lost");
      await pause();
      return store.events(...of);
    },
  };
}

/** The events that one sink of one run got, and those it could not write. */
interface Told {
  readonly all: number[];
  readonly failed: Set<number>;
  readonly wrong: string[];
}

function listener(required: boolean, roll: () => number, told: Told): Sink {
  let busy = false;
  const write = async (events: readonly LogEvent[], view: View): Promise<void> => {
    if (busy) told.wrong.push("two at once");
    busy = true;
    told.all.push(...sequencesOf(events));
    const folded = Object.values(view(counter)).reduce((sum, count) => sum + count, 0);
    if (folded < (events.at(-1)?.sequence ?? 0)) told.wrong.push("a state from before its events");
    if (roll() < 0.5) await settled();
    busy = false;
    if (roll() > 0.1) return;
    for (const { sequence } of events) told.failed.add(sequence);
    throw new Error("disk full");
  };
  const close = (): void => {
    if (busy) told.wrong.push("closed while it wrote");
    if (roll() < 0.2) throw new Error("disk full");
  };
  return { name: `required: ${required}`, required, open: () => ({ write, close }) };
}

it("whatever fails, every allowed call is durable and written, and every sink gets each event once, in order", async () => {
  const round = async (seed: number): Promise<void> => {
    const roll = dice(seed);
    const memory = createMemoryStore();
    let calm = true;
    const store = unreliable(memory, () => (calm ? 1 : roll()));
    const parties = upTo(3).map(() => {
      const [strict, loose] = [0, 1].map((): Told => ({
        all: [],
        failed: new Set(),
        wrong: [],
      })) as [Told, Told];
      const rolling = (): number => (calm ? 1 : roll());
      const sinks = withSinks(listener(true, rolling, strict), listener(false, rolling, loose));
      return { strict, loose, kernel: createKernel({ plugins: [counts, ...sinks] }) };
    });
    const runs: Run[] = [];
    for (const { kernel } of parties)
      runs.push(await openRun(kernel, { run: "r1", store, join: true }));
    calm = false;
    const outcomes: (readonly [party: number, outcome: Outcome])[] = [];
    const work = async (party: number, agent: number): Promise<void> => {
      for (let turn = 0; turn < 3; turn += 1) {
        const outcome = await runs[party]?.toolCall(tool({ agent: `a${(agent + turn) % 5}` }));
        if (outcome !== undefined) outcomes.push([party, outcome]);
      }
    };
    await Promise.all(runs.flatMap((_, party) => upTo(10).map((agent) => work(party, agent))));
    await Promise.allSettled(runs.map((run) => run.close()));
    const log = await logOf(memory);
    const verifier = createLogVerifier();
    expect(log.flatMap((event) => verifier.line(formatEventLine(event)))).toEqual([]);
    const allowed = outcomes.flatMap(([party, { applied, events }]) =>
      applied === "allow" ? [{ party, event: events[0] }] : [],
    );
    expect(allowed.length).toBeGreaterThan(0);
    expect(new Set(allowed.map(({ event }) => event?.sequence)).size).toBe(allowed.length);
    for (const { party, event } of allowed) {
      expect(log[(event?.sequence ?? 0) - 1]).toEqual(event);
      const { strict } = parties[party] ?? {};
      expect(strict?.all).toContain(event?.sequence);
      expect(strict?.failed).not.toContain(event?.sequence);
    }
    for (const { strict, loose } of parties) {
      for (const { all, wrong } of [strict, loose]) {
        expect(wrong).toEqual([]);
        expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
      }
    }
  };
  await assert(asyncProperty(integer({ min: 1, max: 0x7fff_fffe }), round), { numRuns: 25 });
});
