import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { LATE, PAGES, createCheckpoints } from "../src/checkpoints.ts";
import { openSqliteStore } from "../src/index.ts";
import { closing, logOf, newFolder, runFixture } from "./kit.ts";

const traces = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
if (!traces)
  console.error("SKIPPED: no strace, so which thread synchronises the file is not looked at here.");

interface Said {
  readonly pid: number;
  /** The most pages that the log had, and those of the file in the end: no fewer were written. */
  readonly longest: number;
  readonly pages: number;
}

it.runIf(traces)(
  "under load another thread than the one that answers takes the log over, by strace",
  async () => {
    const folder = newFolder();
    const trace = join(folder, "trace");
    const under = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", trace];
    const { pid } = JSON.parse(
      await runFixture("load.mjs", [join(folder, "store.db"), "40", "close"], under),
    ) as Said;
    const threads = [
      ...readFileSync(trace, "utf8").matchAll(/^(\d+) +f(?:data)?sync\(\d+<[^>]*store\.db>/gm),
    ].map(([, thread]) => Number(thread));
    // Until the thread is there, the one that answers has to do it.
    const since = threads.slice(threads.findIndex((thread) => thread !== pid));
    const own = since.filter((thread) => thread === pid);
    expect(since.length - own.length).toBeGreaterThan(2);
    // To tidy up.
    expect(own.length).toBeLessThanOrEqual(2);
  },
);

it("lets no log grow without end under load, and lets a process end that has forgotten the store", async () => {
  const file = join(newFolder(), "store.db");
  const { longest, pages } = JSON.parse(
    await runFixture("load.mjs", [file, "80", "forget"]),
  ) as Said;
  // How short the thread keeps it depends on when the machine lets it run.
  const bound = LATE + 4 * PAGES;
  expect(pages).toBeGreaterThan(bound);
  expect(longest).toBeLessThan(bound);
  const store = await closing(openSqliteStore(file));
  expect(await logOf(store)).toHaveLength(80 * 16 * 20);
});

it("takes the log over itself where there is no thread", async () => {
  const file = join(newFolder(), "store.db");
  const db = new Database(file);
  db.pragma("journal_mode = wal");
  db.exec("create table t (a text)");
  const add = db.prepare("insert into t values (?)");
  const automatic = (): unknown => db.pragma("wal_autocheckpoint", { simple: true });
  const left = db.prepare<[], { log: number; checkpointed: number }>("pragma wal_checkpoint(noop)");
  // A thread that finds no file ends.
  const checkpoints = createCheckpoints(db, join(newFolder(), "missing.db"));
  db.pragma("wal_autocheckpoint = 100000");
  for (let commits = 0; commits < 100; commits += 1) {
    add.run("x".repeat(100_000));
    checkpoints.committed(20);
  }
  await expect.poll(automatic).toBe(PAGES);
  for (let commits = 0; commits < 200; commits += 1) {
    add.run("x".repeat(100_000));
    checkpoints.committed(20);
  }
  const { log = Infinity, checkpointed = 0 } = left.get() ?? {};
  expect(log - checkpointed).toBeLessThan(2 * PAGES);
  await checkpoints.close();
  db.close();
});

it("goes on where no thread can be started", async () => {
  const file = join(newFolder(), "store.db");
  // A process that may start none.
  const flags = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-addons"];
  const { longest } = JSON.parse(
    await runFixture("load.mjs", [file, "10", "close"], [], flags),
  ) as Said;
  expect(longest).toBeLessThan(2 * PAGES);
  expect(await logOf(await closing(openSqliteStore(file)))).toHaveLength(10 * 16 * 20);
});

it("changes nothing of another database that stands there by now", async () => {
  const [file, other] = [join(newFolder(), "store.db"), join(newFolder(), "other.db")];
  const store = new Database(file);
  store.pragma("journal_mode = wal");
  store.exec("create table t (a text)");
  const add = store.prepare("insert into t values (?)");
  const foreign = new Database(other);
  foreign.exec("create table t (a text)");
  foreign.close();
  const before = readFileSync(other);
  const checkpoints = createCheckpoints(store, other);
  store.pragma("wal_autocheckpoint = 100000");
  for (let commits = 0; commits < 100; commits += 1) {
    add.run("x".repeat(100_000));
    checkpoints.committed(20);
  }
  await expect.poll(() => store.pragma("wal_autocheckpoint", { simple: true })).toBe(PAGES);
  await checkpoints.close();
  store.close();
  expect(readFileSync(other)).toEqual(before);
});

it("starts no thread for who writes alone", async () => {
  const file = join(newFolder(), "store.db");
  const db = new Database(file);
  db.pragma("journal_mode = wal");
  db.exec("create table t (a text)");
  const add = db.prepare("insert into t values (?)");
  const checkpoints = createCheckpoints(db, join(newFolder(), "missing.db"));
  db.pragma("wal_autocheckpoint = 100000");
  for (let commits = 0; commits < 100; commits += 1) {
    add.run("x".repeat(100_000));
    checkpoints.committed(1);
  }
  await checkpoints.close();
  // No thread was asked for, which would have ended and set this back.
  expect(db.pragma("wal_autocheckpoint", { simple: true })).toBe(100_000);
  db.close();
});
