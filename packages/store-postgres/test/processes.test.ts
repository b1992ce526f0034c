import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { printedLines, type PostgresServer, type PrintedLines } from "@bylaw/testing";
import { afterEach, describe, expect, it } from "vitest";
import { draft, faultOf, logOf, placeOn, serverOfFile, upTo, type Place } from "./kit.ts";

// Acknowledged writes must survive a killed server, so this server syncs to disk.
const server = await serverOfFile({ fsync: true });

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  }
  children.clear();
});

interface Child extends PrintedLines<Record<string, unknown>> {
  readonly process: ChildProcess;
}

function start(place: Place, mode: string, name: string, count = 0): Child {
  const script = fileURLToPath(new URL("child.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    [script, mode, place.url, place.schema, name, String(count)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  children.add(child);
  return {
    process: child,
    ...printedLines(child, (line) => JSON.parse(line) as Record<string, unknown>),
  };
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const place = placeOn(server as PostgresServer);
  try {
    await work(place);
  } finally {
    await place.end();
  }
}

/** Compares what the processes were told with what is recorded. */
async function audit(
  place: Place,
  workers: readonly Child[],
): Promise<{ readonly lost: number; readonly doubled: number; readonly events: number }> {
  const store = await place.open();
  const runs = (await place.sql("select run from {schema}.runs order by run")).map(({ run }) =>
    String(run),
  );
  const logs = new Map(
    await Promise.all(runs.map(async (run) => [run, await logOf(store, run)] as const)),
  );
  await store.close();
  for (const [run, log] of logs) expect(faultOf(log), run).toBeUndefined();
  const told = workers.flatMap(({ lines }) => lines);
  const lost = told.filter(
    ({ run, sequence, hash }) => logs.get(String(run))?.[Number(sequence) - 1]?.hash !== hash,
  ).length;
  const drafts = [...logs.values()]
    .flat()
    .map(({ agent_id, details }) => JSON.stringify([agent_id, details]));
  return { lost, doubled: drafts.length - new Set(drafts).size, events: drafts.length };
}

describe.skipIf(server === undefined)("processes on one store", () => {
  it("leave no gap and no duplicate with sixteen clients in four of them", () =>
    inPlace(async (place) => {
      await (await place.open()).close();
      const workers = upTo(4).map((n) => start(place, "append", `w${n}`, 40));
      await Promise.all(workers.map(({ ended }) => ended));
      expect(workers.map(({ lines }) => lines.length)).toEqual([160, 160, 160, 160]);
      expect(await audit(place, workers)).toEqual({ lost: 0, doubled: 0, events: 640 });
    }));

  it("lose nothing that was acknowledged when they are killed while they write", () =>
    inPlace(async (place) => {
      await (await place.open()).close();
      const workers = upTo(3).map((n) => start(place, "append", `w${n}`, 100_000));
      for (const [index, { process: child, said, ended }] of workers.entries()) {
        await said(({ sequence }) => Number(sequence) > 20 * (index + 1));
        child.kill("SIGKILL");
        await ended;
      }
      expect(await audit(place, workers)).toMatchObject({ lost: 0, doubled: 0 });
    }));

  it.skipIf(server?.external)(
    "lose nothing that was acknowledged when the server is killed, and continue when it is back",
    () =>
      inPlace(async (place) => {
        await (await place.open()).close();
        const workers = upTo(3).map((n) => start(place, "append", `w${n}`, 200));
        for (const at of [60, 200]) {
          await workers[0]?.said(({ sequence }) => Number(sequence) >= at);
          await server?.kill();
          await server?.restart();
        }
        await Promise.all(workers.map(({ ended }) => ended));
        expect(workers.map(({ lines }) => lines.length)).toEqual([800, 800, 800]);
        expect(await audit(place, workers)).toEqual({ lost: 0, doubled: 0, events: 2_400 });
      }),
  );

  it("write nothing under their old fence when they were stopped for longer than their lease", () =>
    inPlace(async (place) => {
      const store = await place.open();
      await store.commit({
        run: "r1",
        seen: 0,
        events: [draft()],
        task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } },
      });
      const frozen = start(place, "claim", "slow");
      await frozen.said(({ claimed }) => claimed === "T1");
      frozen.process.kill("SIGSTOP");
      let taken;
      while (taken === undefined) {
        taken = await store.claim({
          queue: "q",
          agent: "quick",
          lease_ms: 60_000,
          event: ({ task }) => draft({ event_type: "task_claimed", task_id: task }),
        });
      }
      expect(taken).toMatchObject({ task: "T1", fence: 2 });
      frozen.process.kill("SIGCONT");
      frozen.process.stdin?.write("go on\n");
      expect(await frozen.said(({ outcome }) => outcome !== undefined)).toEqual({
        outcome: "fence",
      });
      await store.commit({
        run: "r1",
        seen: 0,
        events: [draft()],
        task: { id: "T1", fence: 2, set: { state: "done" } },
      });
      await store.close();
    }));

  it("do not keep a task for ever when they are stopped in the middle of a claim", () =>
    inPlace(async (place) => {
      const store = await place.open();
      await store.commit({
        run: "r1",
        seen: 0,
        events: [draft()],
        task: { id: "T1", fence: 0, set: { state: "available", queue: "q" } },
      });
      const frozen = start({ ...place }, "hold", "slow");
      await frozen.said(({ held }) => held === true);
      const claim = () =>
        store.claim({
          queue: "q",
          agent: "quick",
          lease_ms: 60_000,
          event: ({ task }) => draft({ event_type: "task_claimed", task_id: task }),
        });
      expect(await claim()).toBeUndefined();
      // The server ends idle transactions after half of the time that others wait for rows.
      let taken;
      while (taken === undefined) taken = await claim();
      expect(taken.fence).toBe(1);
      frozen.process.kill("SIGCONT");
      await frozen.ended;
      expect((await logOf(store, "r1")).map(({ event_type }) => event_type)).toEqual([
        "note",
        "task_claimed",
      ]);
      await store.close();
    }));
});
