import { chmodSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { WITHOUT_PRIVILEGES, draft, makeReadOnly, runFixture } from "./kit.ts";

/** The result of reading in an unprivileged process: the number of events of each run, or the error. */
const read = async (file: string, ...follow: readonly string[]): Promise<unknown> =>
  JSON.parse(await runFixture("read.mjs", [file, ...follow], WITHOUT_PRIVILEGES));

/** Creates a store with two events in one run, and closes it. */
async function closedStore(): Promise<string> {
  const file = join(temporaryFolder(), "store #1%20?.db");
  const store = await openSqliteStore(file);
  await store.commit({ run: "main", seen: 0, events: [draft(), draft()] });
  await store.close();
  return file;
}

/** Creates a store whose second run is only in the write-ahead log, because its writer was killed. */
async function unmergedStore(): Promise<string> {
  const file = await closedStore();
  const { timestamp, session_id } = draft();
  await expect(
    runFixture("killed.mjs", [file, "newest", timestamp, session_id]),
  ).rejects.toMatchObject({ signal: "SIGKILL" });
  expect(readdirSync(dirname(file))).toHaveLength(3);
  return file;
}

describe("reading a store in a folder without write access", () => {
  it("works and leaves the store as it is", async () => {
    const file = await closedStore();
    const before = readFileSync(file);
    makeReadOnly(dirname(file));
    expect(await read(file)).toEqual({ main: 2 });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  it("works if only the folder is read-only and the file is not", async () => {
    const file = await closedStore();
    makeReadOnly(dirname(file));
    chmodSync(file, 0o644);
    expect(await read(file)).toEqual({ main: 2 });
  });

  it("includes the events that are only in the write-ahead log", async () => {
    const file = await unmergedStore();
    makeReadOnly(dirname(file));
    expect(await read(file)).toEqual({ main: 2, newest: 1 });
  });

  it("is refused if the write-ahead log cannot be read, instead of omitting the newest events", async () => {
    const file = await unmergedStore();
    rmSync(`${file}-shm`);
    makeReadOnly(dirname(file));
    expect(await read(file)).toEqual({
      code: "BYLAW_STORE_UNUSABLE",
      message: `${file}-wal holds changes that ${file} does not have yet, and reading them needs write access to the folder`,
      fix: `Copy ${file} and ${file}-wal to a folder that you can write, and read the copy.`,
    });
    // The fix works.
    chmodSync(dirname(file), 0o755);
    expect(await read(file)).toEqual({ main: 2, newest: 1 });
  });

  it("reports that the store cannot be followed", async () => {
    const file = await closedStore();
    makeReadOnly(dirname(file));
    expect(await read(file, "follow")).toMatchObject({
      code: "BYLAW_STORE_UNUSABLE",
      message: `Cannot follow ${file}: its folder cannot be written, so only its present state can be read`,
    });
  });

  it("is refused if the file cannot be read either", async () => {
    const file = await closedStore();
    makeReadOnly(dirname(file));
    chmodSync(file, 0o000);
    expect(await read(file)).toEqual({
      code: "BYLAW_STORE_UNUSABLE",
      message: `Cannot read ${file} (EACCES)`,
      fix: "Give this user read access to the file.",
    });
  });

  it("refuses another program's database as it does anywhere", async () => {
    const { default: Database } = await import("better-sqlite3");
    const file = join(temporaryFolder(), "other.db");
    const db = new Database(file);
    db.exec("pragma journal_mode = wal; create table other (x)");
    db.close();
    makeReadOnly(dirname(file));
    expect(await read(file)).toMatchObject({ code: "BYLAW_STORE_UNUSABLE" });
  });
});
