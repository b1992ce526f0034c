import {
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NO_LINK, linkOf } from "@bylaw/log";
import type { LogEvent } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { eventsOf, findingsOf, givenLog, linesOf, noView, open, mirrored } from "./kit.ts";

describe("a mirror", () => {
  it("writes one event per line, with its fields in order and then the store's hash", async () => {
    const path = join(temporaryFolder(), "a/b/run.jsonl");
    const log = givenLog();
    const { write } = await open(log, path);
    await write(3);
    const lines = linesOf(path);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(log.all);
    expect(Object.keys(JSON.parse(lines[0] ?? "") as object)).toEqual([
      ...[
        "timestamp",
        "sequence",
        "session_id",
        "event_type",
        "agent_id",
        "task_id",
        "details",
        "hash",
      ],
    ]);
    let link = NO_LINK;
    for (const { sequence, hash, ...event } of eventsOf(path))
      expect((link = linkOf(link, sequence, event))).toBe(hash);
    expect(findingsOf(path)).toEqual([]);
  });

  it("creates its file and folders for its owner only", async () => {
    const base = temporaryFolder();
    await open(givenLog(), join(base, "a/b/run.jsonl"));
    const mode = (path: string): number => statSync(join(base, path)).mode & 0o777;
    expect(["a", "a/b", "a/b/run.jsonl", "a/b/run.jsonl.lock"].map(mode)).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
  });

  it("writes what the file lacks before anything new, in order, over as many pages as needed", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const log = givenLog();
    log.add(1_234);
    const { write } = await open(log, path);
    expect(eventsOf(path)).toEqual(log.all);
    log.add(700);
    await write(2);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("continues where the last one ended, and writes nothing twice", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const log = givenLog();
    const first = await open(log, path);
    await first.write(5);
    await first.close();
    const before = readFileSync(path);
    const second = await open(log, path);
    expect(readFileSync(path).equals(before)).toBe(true);
    await second.write(5);
    expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("refuses an event whose line it could not find again, because it would write it twice", async () => {
    const { path, log, writer, write } = await mirrored();
    await write(2);
    const size = statSync(path).size;
    const [event] = log.add(1);
    const long = { ...event, details: { result: "x".repeat(64 * 1_048_576) } } as LogEvent;
    await expect(writer.write([long], noView)).rejects.toFailWith("BYLAW_LOG_UNWRITABLE");
    expect(statSync(path).size).toBe(size);
  });

  it("includes events that other writers add without telling it", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const log = givenLog();
    const one = await open(log, path);
    const other = await open(log, path);
    await one.write(2);
    log.add(3);
    const own = log.add();
    log.add(2);
    await other.writer.write(own, noView);
    expect(eventsOf(path).length).toBeGreaterThanOrEqual(6);
    await one.write(1);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("writes an event once that it is given twice, or that others have written meanwhile", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const log = givenLog();
    const [one, other] = [await open(log, path), await open(log, path)];
    const events = log.add(4);
    await one.writer.write(events, noView);
    await other.writer.write(events.slice(0, 2), noView);
    await other.writer.write(events.slice(2), noView);
    await one.writer.write(events, noView);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("writes the same file from several writers at once, each event once", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const log = givenLog();
    const mirrors = await Promise.all(Array.from({ length: 4 }, () => open(log, path)));
    await Promise.all(
      mirrors.map(async ({ write }) => {
        for (let round = 0; round < 25; round += 1) await write(1);
      }),
    );
    expect(eventsOf(path)).toEqual(log.all);
    expect(log.all).toHaveLength(100);
  });

  it("keeps an event of a megabyte, every character, and many of them", async () => {
    const { path, log, write } = await mirrored();
    await write([{ text: 'é\n\u2028\u0000"\\😀'.repeat(100_000) }]);
    await write(
      Array.from({ length: 12 }, (_, index) => ({ text: String(index).repeat(1_000_000) })),
    );
    expect(eventsOf(path)).toEqual(log.all);
    const again = await open(log, path);
    await again.write(1);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("rewrites a file that is deleted while it is open, and reports it", async () => {
    const { path, log, write, warnings } = await mirrored();
    await write(3);
    rmSync(path);
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
    expect(warnings).toEqual([expect.stringContaining("BYLAW_LOG_REPLACED")]);
  });

  it("rewrites it if the whole folder is gone", async () => {
    const base = temporaryFolder();
    const path = join(base, "logs/run.jsonl");
    const log = givenLog();
    const { write } = await open(log, path);
    await write(3);
    rmSync(join(base, "logs"), { recursive: true });
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("continues in a file that replaced its own, if that belongs to this log", async () => {
    const base = temporaryFolder();
    const path = join(base, "run.jsonl");
    const log = givenLog();
    const { write, warnings } = await open(log, path);
    await write(2);
    const copy = readFileSync(path);
    await write(2);
    renameSync(path, join(base, "moved.jsonl"));
    writeFileSync(path, copy);
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
    expect(warnings).toHaveLength(1);
  });

  it("rewrites what was cut off its end, and reports it", async () => {
    const { path, log, write, warnings } = await mirrored();
    await write(2);
    const { size } = statSync(path);
    await write(2);
    truncateSync(path, size);
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
    expect(warnings).toEqual([expect.stringContaining("BYLAW_LOG_REPLACED")]);
  });

  it("survives the removal of its lock file", async () => {
    const { path, log, write } = await mirrored();
    await write(1);
    rmSync(`${path}.lock`);
    await write(1);
    expect(lstatSync(`${path}.lock`).isFile()).toBe(true);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("accepts a clock that goes backwards", async () => {
    const { path, log, write } = await mirrored({ rotate: { daily: true } });
    await write(1, "2026-01-17T09:00:00Z");
    await write(1, "2026-01-15T09:00:00Z");
    expect(eventsOf(path)).toEqual(log.all);
  });
});

describe("durability", () => {
  const counted = (): { syncs: number; sync: (fd: number) => Promise<void> } => {
    const count = { syncs: 0, sync: async (): Promise<void> => void (count.syncs += 1) };
    return count;
  };

  it("strict syncs once for each batch, and not if nothing was written", async () => {
    const count = counted();
    const log = givenLog();
    const { write, writer } = await open(log, join(temporaryFolder(), "run.jsonl"), {
      sync: count.sync,
    });
    const start = count.syncs;
    for (let batch = 0; batch < 10; batch += 1) await write(7);
    expect(count.syncs - start).toBe(10);
    await writer.write(log.all, noView);
    expect(count.syncs - start).toBe(10);
  });

  it("strict syncs what another process wrote before it reports it", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const count = counted();
    const log = givenLog();
    const mine = await open(log, path, { sync: count.sync });
    const other = await open(log, path);
    const events = log.add(3);
    await other.writer.write(events, noView);
    const start = count.syncs;
    await mine.writer.write(events, noView);
    expect(count.syncs - start).toBe(1);
  });

  it("batched syncs later, and when it is closed", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    const count = counted();
    const log = givenLog();
    const { write, close } = await open(log, path, {
      durability: "batched",
      flush_ms: 60_000,
      sync: count.sync,
    });
    for (let batch = 0; batch < 10; batch += 1) await write(1);
    expect(eventsOf(path)).toEqual(log.all);
    expect(count.syncs).toBe(0);
    await close();
    expect(count.syncs).toBe(1);
  });

  it("batched syncs within its time without being called", async () => {
    const synced = Promise.withResolvers<void>();
    const log = givenLog();
    const sync = async (): Promise<void> => synced.resolve();
    const { write } = await open(log, join(temporaryFolder(), "run.jsonl"), {
      durability: "batched",
      flush_ms: 1,
      sync,
    });
    await write(1);
    await synced.promise;
  });
});
