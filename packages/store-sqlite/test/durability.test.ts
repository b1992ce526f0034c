import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { closing, draft, logOf, refusal, runFixture, upTo, write } from "./kit.ts";

const COMMITS = 40;
const traces =
  spawnSync("strace", ["-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1", "true"]).status ===
  0;
if (!traces)
  console.error(
    "SKIPPED: no strace, so syncs are not counted here, and no sync is made to fail. That `synchronous` is FULL is tested.",
  );

it.runIf(traces)(
  "syncs at least once for each acknowledged commit, counted by strace",
  async () => {
    const folder = temporaryFolder();
    const trace = join(folder, "trace");
    const under = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", trace];
    // One client: no two commits share a sync. The second run opens an existing file.
    for (const name of ["first", "second"]) {
      await runFixture(
        "clients.mjs",
        [join(folder, "store.db"), "1", String(COMMITS), name],
        under,
      );
      const syncs =
        readFileSync(trace, "utf8").match(/\bf(data)?sync\(\d+<[^>]*store\.db-wal>\) += 0/g) ?? [];
      expect(syncs.length).toBeGreaterThanOrEqual(COMMITS);
    }
  },
);

it.runIf(traces)(
  "refuses everything after a sync has failed, and keeps what it acknowledged, by strace",
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, "store.db");
    await (await openSqliteStore(file)).close();
    const under = [
      "strace",
      "-f",
      "-o",
      "/dev/null",
      "-e",
      "trace=fsync,fdatasync",
      "-e",
      "inject=fsync,fdatasync:error=EIO:when=20",
    ];
    const told = JSON.parse(await runFixture("until-failure.mjs", [file], under)) as Readonly<
      Record<string, unknown>
    >;
    expect(told).toMatchObject({
      failure: "BYLAW_STORE_UNAVAILABLE",
      after: Array(5).fill("BYLAW_STORE_UNAVAILABLE"),
    });
    const acknowledged = Number(told["acknowledged"]);
    expect(acknowledged).toBeGreaterThan(5);
    const log = await logOf(await closing(openSqliteStore(file)));
    // The commit whose sync failed may be in the log, but nothing after it.
    expect([acknowledged, acknowledged + 1]).toContain(log.length);
  },
);

it.each([
  ["the file is deleted", (file: string) => rmSync(file)],
  ["the file is moved away", (file: string) => renameSync(file, `${file}.old`)],
  [
    "the file is replaced",
    (file: string) => {
      renameSync(file, `${file}.old`);
      writeFileSync(file, readFileSync(`${file}.old`));
    },
  ],
  ["its write-ahead log is deleted", (file: string) => rmSync(`${file}-wal`)],
  ["its lock file is deleted", (file: string) => rmSync(`${file}-shm`)],
])("acknowledges nothing once %s", async (_, damage) => {
  const file = join(temporaryFolder(), "store.db");
  const store = await closing(openSqliteStore(file));
  await write(store);
  damage(file);
  const error = await refusal(write(store), "BYLAW_STORE_FAILED");
  expect(error.message).toMatch(/was deleted or replaced/);
  for (const ask of [
    () => write(store),
    () => store.events("r1", 0, 1),
    () => store.get("k", "d"),
    () => store.watch(() => {}),
  ]) {
    expect(await refusal(ask(), "BYLAW_STORE_FAILED")).toBe(error);
  }
});

/** A file system of one mebibyte. `undefined` if this process may not mount one. */
function smallDisk(): { readonly folder: string; readonly remove: () => void } | undefined {
  const folder = temporaryFolder();
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", folder]);
  const remove = (): void => {
    if (status === 0) spawnSync("umount", ["-l", folder]);
  };
  if (status === 0) return { folder, remove };
  remove();
  return undefined;
}

const disk = process.getuid?.() === 0 ? smallDisk() : undefined;
const canMount = disk !== undefined;
disk?.remove();

it.runIf(canMount)(
  "reports a full disk, keeps what it acknowledged, and continues when there is room",
  async () => {
    const small = smallDisk();
    if (small === undefined) throw new Error("A second small disk could not be mounted");
    try {
      const file = join(small.folder, "store.db");
      const store = await openSqliteStore(file);
      try {
        writeFileSync(join(small.folder, "ballast"), Buffer.alloc(400_000));
        const kept: number[] = [];
        const fill = async (): Promise<void> => {
          for (const n of upTo(1_000)) {
            await write(store, { events: [draft({ details: { n, pad: "x".repeat(5_000) } })] });
            kept.push(n);
          }
        };
        expect((await refusal(fill(), "BYLAW_STORE_UNAVAILABLE")).message).toMatch(
          /is full \(SQLITE_FULL/,
        );
        expect(kept.length).toBeGreaterThan(5);
        expect((await logOf(store)).map(({ details }) => details["n"])).toEqual(kept);
        rmSync(join(small.folder, "ballast"));
        await write(store, { events: [draft({ details: { n: "again" } })] });
        expect((await logOf(store)).map(({ details }) => details["n"])).toEqual([...kept, "again"]);
      } finally {
        await store.close();
      }
    } finally {
      small.remove();
    }
  },
);

it("reports that others have locked the file, writes nothing, and does not block the process while it waits", async () => {
  const file = join(temporaryFolder(), "store.db");
  const store = await closing(openSqliteStore(file, { busy_ms: 50 }));
  await write(store);
  const other = new Database(file);
  try {
    other.exec("begin immediate");
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    const refused = [write(store, { request_id: "q1" }), write(store)].map((pending) =>
      refusal(pending, "BYLAW_STORE_BUSY"),
    );
    await Promise.all(refused);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(0);
    expect(await logOf(store)).toHaveLength(1);
    const waiting = write(store, { request_id: "q1" });
    other.exec("rollback");
    expect((await waiting).replayed).toBe(false);
  } finally {
    other.close();
  }
  expect(await logOf(store)).toHaveLength(2);
});

it("serves sixteen clients in four processes without a gap or a duplicate", async () => {
  const file = join(temporaryFolder(), "store.db");
  const outputs = await Promise.all(
    upTo(4).map((name) => runFixture("clients.mjs", [file, "4", "25", String(name)])),
  );
  const given = outputs.flatMap((output) => JSON.parse(output) as (readonly [number, string])[]);
  const log = await logOf(await closing(openSqliteStore(file)), "shared");
  expect(log.map(({ sequence }) => sequence)).toEqual(upTo(400));
  expect(new Map(given)).toEqual(
    new Map(log.map(({ sequence, details }) => [sequence, details["by"]])),
  );
});
