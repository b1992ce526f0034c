import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { connect } from "../src/connect.ts";
import { checkSqlite, loadEngine } from "../src/engine.ts";
import { prepareFile } from "../src/file.ts";
import { openSqliteStore } from "../src/index.ts";
import { BusyWait } from "../src/busy-wait.ts";
import { SCHEMA_VERSION, migrate, versionOf } from "../src/schema.ts";
import { closing, logOf, refusal, upTo, write } from "./kit.ts";

const isRoot = process.getuid?.() === 0;

describe("opening a store", () => {
  it.runIf(process.platform !== "win32")(
    "creates folder and file so that only their owner has access",
    async () => {
      const file = join(temporaryFolder(), "state", "deep", "store.db");
      await write(await closing(openSqliteStore(file)));
      for (const one of [file, `${file}-wal`, `${file}-shm`])
        expect([one, statSync(one).mode & 0o777]).toEqual([one, 0o600]);
      for (const one of [dirname(file), dirname(dirname(file))])
        expect([one, statSync(one).mode & 0o777]).toEqual([one, 0o700]);
    },
  );

  it("resolves a name against the working directory", async () => {
    const folder = temporaryFolder();
    const before = process.cwd();
    process.chdir(folder);
    try {
      const opening = openSqliteStore("own/store.db");
      process.chdir(before);
      await write(await closing(opening));
    } finally {
      process.chdir(before);
    }
    expect(existsSync(join(folder, "own", "store.db"))).toBe(true);
  });

  it("syncs fully on every connection, the first and every later one", async () => {
    const path = join(temporaryFolder(), "store.db");
    for (const turn of upTo(3)) {
      const db = await connect(prepareFile(path), new BusyWait(path, 1_000));
      const pragma = (name: string): unknown => db.pragma(name, { simple: true });
      expect([
        turn,
        pragma("synchronous"),
        pragma("journal_mode"),
        pragma("checkpoint_fullfsync"),
      ]).toEqual([turn, 2, "wal", 1]);
      db.close();
    }
  });

  it("works when many open a missing file at once", async () => {
    const file = join(temporaryFolder(), "store.db");
    const stores = await Promise.all(upTo(8).map(() => closing(openSqliteStore(file))));
    await Promise.all(stores.map((store) => write(store)));
    for (const store of stores)
      expect((await logOf(store)).map(({ sequence }) => sequence)).toEqual(upTo(8));
  });

  it.each(["20.20.2", "22.12.9", "21.99.0", "", "x"])(
    "is refused under Node %j, before its binary is loaded",
    async (version) => {
      await refusal(loadEngine(version), "BYLAW_STORE_UNUSABLE");
    },
  );

  it.each(["22.13.0", "22.14.1", "24.0.0", "100.1.0"])(
    "is not refused under Node %s",
    async (version) => {
      expect(await loadEngine(version)).toBe(Database);
    },
  );

  it.each(["3.51.2", "3.9.99", "2.99.99", ""])("is refused with SQLite %j", (version) => {
    expect(() => checkSqlite(version)).toThrow(
      /^SQLite .* is too old: 3\.51\.3 or later is needed$/,
    );
  });

  it.each(["3.51.3", "3.52.0", "3.100.0", "4.0.0"])("is not refused with SQLite %s", (version) => {
    expect(() => checkSqlite(version)).not.toThrow();
  });

  it.each(readCases<object>(import.meta, "refused-options"))(
    "is refused with %j",
    async (options) => {
      const file = join(temporaryFolder(), "store.db");
      await refusal(openSqliteStore(file, options as never), "BYLAW_STORE_UNUSABLE");
      expect(existsSync(file)).toBe(false);
    },
  );
});

describe("opening something that is no store", () => {
  const prepared = async (name: string, prepare: (file: string) => void): Promise<string> => {
    const file = join(temporaryFolder(), name);
    prepare(file);
    return file;
  };

  it.each(["", ":memory:"])("refuses a name that is no file: %j", async (name) => {
    await refusal(openSqliteStore(name), "BYLAW_STORE_UNUSABLE");
  });

  it("refuses a folder", async () => {
    const file = await prepared("folder", (path) => mkdirSync(path));
    expect((await refusal(openSqliteStore(file), "BYLAW_STORE_UNUSABLE")).message).toMatch(
      /folder/,
    );
  });

  it("refuses a path below a file", async () => {
    const file = await prepared("text", (path) => writeFileSync(path, "x"));
    await refusal(openSqliteStore(join(file, "store.db")), "BYLAW_STORE_UNUSABLE");
  });

  it.each(["hello, world\n".repeat(100), "x"])(
    "refuses a text file and leaves it as it is",
    async (text) => {
      const file = await prepared("notes.txt", (path) => writeFileSync(path, text));
      await refusal(openSqliteStore(file), "BYLAW_STORE_UNUSABLE");
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(existsSync(`${file}-wal`)).toBe(false);
    },
  );

  it("refuses another program's database and leaves it as it is", async () => {
    const file = await prepared("other.db", (path) =>
      new Database(path).exec("create table t (a); insert into t values (1)").close(),
    );
    const before = readFileSync(file);
    expect((await refusal(openSqliteStore(file), "BYLAW_STORE_UNUSABLE")).message).toMatch(
      /another program/,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("does not mistake a store that another process is creating for another program's database", () => {
    const file = join(temporaryFolder(), "store.db");
    const other = new Database(file);
    other.pragma("journal_mode = wal");
    const db = new Database(file);
    const prepare = db.prepare.bind(db) as (sql: string) => Database.Statement;
    let made = false;
    db.prepare = ((sql: string) => {
      if (!made && sql.includes("sqlite_schema")) {
        made = true;
        migrate(other, file);
      }
      return prepare(sql);
    }) as typeof db.prepare;
    expect([versionOf(db, file), made]).toEqual([0, true]);
    expect(versionOf(db, file)).toBe(SCHEMA_VERSION);
    db.close();
    other.close();
  });

  it("refuses a store to which somebody added a trigger", async () => {
    const file = join(temporaryFolder(), "store.db");
    await (await openSqliteStore(file)).close();
    new Database(file)
      .exec(
        "create trigger t after insert on segments begin delete from segments where id = new.id; end",
      )
      .close();
    expect((await refusal(openSqliteStore(file), "BYLAW_STORE_UNUSABLE")).message).toMatch(
      /trigger/,
    );
  });

  it("refuses a store of a later version and leaves it as it is", async () => {
    const file = join(temporaryFolder(), "store.db");
    await (await openSqliteStore(file)).close();
    new Database(file).exec("pragma user_version = 99").close();
    expect((await refusal(openSqliteStore(file), "BYLAW_STORE_NEWER")).message).toMatch(/99/);
    const db = new Database(file, { readonly: true });
    expect(db.pragma("user_version", { simple: true })).toBe(99);
    db.close();
  });

  it.runIf(process.platform !== "win32")(
    "refuses a link and leaves its target as it is",
    async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, "target"), "");
      symlinkSync("target", join(folder, "link.db"));
      symlinkSync("nowhere", join(folder, "broken.db"));
      for (const name of ["link.db", "broken.db"])
        await refusal(openSqliteStore(join(folder, name)), "BYLAW_STORE_UNUSABLE");
      expect([
        readFileSync(join(folder, "target"), "utf8"),
        existsSync(join(folder, "nowhere")),
      ]).toEqual(["", false]);
    },
  );

  it("refuses a file with two names", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "store.db");
    await (await openSqliteStore(file)).close();
    linkSync(file, join(folder, "other.db"));
    for (const name of [file, join(folder, "other.db")])
      await refusal(openSqliteStore(name), "BYLAW_STORE_UNUSABLE");
  });

  it.runIf(process.platform !== "win32")(
    "refuses a folder or file without write access",
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, "store.db");
      await (await openSqliteStore(file)).close();
      chmodSync(file, 0o444);
      chmodSync(folder, 0o555);
      // Permissions do not bind root, so the test becomes another user for a moment.
      if (isRoot) process.seteuid?.(65_534);
      try {
        await refusal(openSqliteStore(join(folder, "new.db")), "BYLAW_STORE_UNUSABLE");
        await refusal(openSqliteStore(file), "BYLAW_STORE_UNUSABLE");
      } finally {
        if (isRoot) process.seteuid?.(0);
        chmodSync(folder, 0o700);
      }
      expect(existsSync(join(folder, "new.db"))).toBe(false);
    },
  );
});
