import { chmodSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import type { EventDraft } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import type { StoreReader } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteReader, openSqliteStore } from "../src/index.ts";
import { upTo } from "./kit.ts";

const draft = (minute: number, details: EventDraft["details"] = {}): EventDraft => ({
  timestamp: `2026-01-02T03:${String(minute).padStart(2, "0")}:00.000Z`,
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "note",
  agent_id: null,
  task_id: null,
  details,
});

/** The application id of a store file. */
const OURS = String(0x42_79_6c_77);

const newFile = (): string => join(temporaryFolder(), "store.db");

async function writing(file: string): Promise<Store> {
  const store = await openSqliteStore(file);
  onTestFinished(() => store.close());
  return store;
}

async function reading(file: string): Promise<StoreReader> {
  const reader = await openSqliteReader(file, { poll_ms: 5 });
  onTestFinished(() => reader.close());
  return reader;
}

/** Creates a store with one run, and closes it. */
async function closedStore(): Promise<string> {
  const file = newFile();
  const store = await openSqliteStore(file);
  await store.commit({
    run: "main",
    seen: 0,
    events: [draft(1)],
    documents: [{ kind: "k", id: "d", value: "1" }],
  });
  await store.close();
  return file;
}

describe("opening a store for reading", () => {
  it("is refused without a store, and creates nothing", async () => {
    const file = newFile();
    await expect(openSqliteReader(file)).rejects.toMatchObject({
      code: "BYLAW_STORE_UNUSABLE",
      message: expect.stringContaining("File not found"),
    });
    await expect(openSqliteReader(join(dirname(file), "deep", "store.db"))).rejects.toFailWith(
      "BYLAW_STORE_UNUSABLE",
    );
    writeFileSync(file, "");
    await expect(openSqliteReader(file)).rejects.toFailWith("BYLAW_STORE_UNUSABLE");
    expect(readFileSync(file, "utf8")).toBe("");
    expect(readdirSync(dirname(file))).toEqual(["store.db"]);
  });

  it("refuses another program's database and another version, and leaves both as they are", async () => {
    for (const [change, code] of [
      ["create table other (x)", "BYLAW_STORE_UNUSABLE"],
      [`pragma application_id = ${OURS}; create table runs (x)`, "BYLAW_STORE_UNUSABLE"],
      [
        `pragma application_id = ${OURS}; pragma user_version = 99; create table runs (x)`,
        "BYLAW_STORE_NEWER",
      ],
    ] as const) {
      const file = newFile();
      const db = new Database(file);
      db.exec(change);
      db.close();
      const before = readFileSync(file);
      await expect(openSqliteReader(file)).rejects.toFailWith(code);
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(readdirSync(dirname(file))).toEqual(["store.db"]);
    }
  });

  it("works without a writer, and leaves the file and its folder as they were", async () => {
    const file = await closedStore();
    const before = readFileSync(file);
    const reader = await openSqliteReader(file);
    expect(await reader.events("main", 0, 9)).toHaveLength(1);
    expect(await reader.get("k", "d")).toEqual({ version: 1, value: "1" });
    expect(await reader.runs()).toEqual([
      { run: "main", head: 1, first: draft(1).timestamp, last: draft(1).timestamp },
    ]);
    await reader.close();
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual(["store.db"]);
    await expect(reader.runs()).rejects.toFailWith("BYLAW_STORE_CLOSED");
  });

  it("reports what others write without delaying them, in whatever order they open and close", async () => {
    const file = await closedStore();
    const early = await reading(file);
    const store = await writing(file);
    const late = await reading(file);
    const told = [early, late].map(
      (reader) =>
        new Promise(
          (resolve) => void reader.watch((run, head) => resolve([run, head])).catch(resolve),
        ),
    );
    await store.commit({ run: "main", seen: 1, events: [draft(2), draft(3)] });
    expect(await Promise.all(told)).toEqual([
      ["main", 3],
      ["main", 3],
    ]);
    await early.close();
    await store.commit({ run: "main", seen: 3, events: [draft(4)] });
    expect((await late.runs())[0]).toMatchObject({ head: 4, last: draft(4).timestamp });
    await late.close();
    await store.commit({ run: "main", seen: 4, events: [draft(5)] });
    await store.close();
    expect(
      (await (await reading(file)).events("main", 0, 9)).map(({ sequence }) => sequence),
    ).toEqual(upTo(5));
  });

  it("lists every run, including those with many events or unusual names", async () => {
    const file = newFile();
    const store = await writing(file);
    const odd = { text: '"timestamp":"no"}', "\u{1f600}": "x".repeat(5_000) };
    await store.commit({ run: "z", seen: 0, events: [draft(1, odd)] });
    await store.commit({
      run: "a",
      seen: 0,
      events: upTo(600).map((index) => draft(index % 60, { index })),
    });
    await store.commit({ run: "é", seen: 0, events: [draft(7), draft(9, odd)] });
    const summaries = await (await reading(file)).runs();
    expect(summaries).toEqual([
      { run: "a", head: 600, first: draft(1).timestamp, last: draft(0).timestamp },
      { run: "z", head: 1, first: draft(1).timestamp, last: draft(1).timestamp },
      { run: "é", head: 2, first: draft(7).timestamp, last: draft(9).timestamp },
    ]);
  });

  it.skipIf(process.getuid?.() === 0)("reads a file without write access", async () => {
    const file = await closedStore();
    chmodSync(file, 0o400);
    expect(await (await reading(file)).events("main", 0, 9)).toHaveLength(1);
  });
});
