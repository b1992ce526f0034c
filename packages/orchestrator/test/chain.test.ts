import type { Log } from "../src/observe/log.ts";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@bylaw/kernel";
import { NO_LINK, linkOfText } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { give } from "./kit.ts";
import { planOf, serve, type Agent, type Served } from "./operate-kit.ts";

interface Row {
  readonly text: string;
  readonly hash: string;
}

/** What an attacker can do who can write the store's file and knows its format. */
interface Attacker {
  readonly db: DatabaseSync;
  readonly read: () => readonly Row[];
  /** Replaces the log by these rows. */
  readonly write: (rows: readonly Row[]) => void;
}

const attack = (folder: string, edit: (attacker: Attacker) => void): void => {
  const db = new DatabaseSync(join(folder, "data", "store.db"));
  const read = (): readonly Row[] =>
    db
      .prepare("select bodies, hashes from segments order by last")
      .all()
      .flatMap(({ bodies, hashes }) => {
        const links = String(hashes).split("\n");
        return String(bodies)
          .split("\n")
          .map((text, at) => ({ text, hash: links[at] ?? "" }));
      });
  const write = (rows: readonly Row[]): void => {
    const { run } = db.prepare("select id as run from runs").get() as { run: number };
    db.exec("begin; delete from segments; delete from places; update indexed set last = 0");
    const insert = db.prepare(
      "insert into segments (run, last, length, bodies, hashes) values (?, ?, 1, ?, ?)",
    );
    for (const [at, { text, hash }] of rows.entries()) insert.run(run, at + 1, text, hash);
    db.prepare("update runs set head = ?, link = ?").run(rows.length, rows.at(-1)?.hash ?? NO_LINK);
    db.exec("commit");
  };
  edit({ db, read, write });
  db.close();
};

/**
 * Code that opens the file while a server has it open must run in another process, because closing the file in this one ends the server's
 * locks.
 */
function inAnotherProcess(folder: string, script: string, values: object): unknown {
  const names = Object.keys(values).join(", ");
  const whole = `import { DatabaseSync } from "node:sqlite";
    const [file, given] = process.argv.slice(1);
    const { ${names} } = JSON.parse(given);
    const db = new DatabaseSync(file);
    const told = (() => { ${script} })();
    db.close();
    console.log(JSON.stringify(told ?? null));`;
  const file = join(folder, "data", "store.db");
  const argv = ["--no-warnings", "--input-type=module", "-e", whole, file, JSON.stringify(values)];
  return JSON.parse(
    execFileSync(process.execPath, argv, { encoding: "utf8", maxBuffer: 2 ** 26 }),
  ) as unknown;
}

const rowsOf = (folder: string): readonly Row[] =>
  inAnotherProcess(
    folder,
    `return db.prepare("select bodies, hashes from segments order by last").all().flatMap(({ bodies, hashes }) => {
       const links = hashes.split("\\n");
       return bodies.split("\\n").map((text, at) => ({ text, hash: links[at] }));
     })`,
    {},
  ) as readonly Row[];

/** The same texts with valid links. */
function linked(texts: readonly string[]): readonly Row[] {
  let hash = NO_LINK;
  return texts.map((text, at) => {
    hash = linkOfText(hash, at + 1, text);
    return { text, hash };
  });
}

const textsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ text }) => text);
/** Claims that Ann's task has entered the last phase. */
const forged = (text: string): string => text.replace('"to":"PLAN"', '"to":"DONE"');
const DONE = (task: string, like: string): string => {
  const event = JSON.parse(like) as JsonObject;
  const details = { ...(event["details"] as JsonObject), to: "DONE" };
  return JSON.stringify({ ...event, details, task_id: task });
};
const entered = (rows: readonly Row[]): number =>
  rows.findIndex(({ text }) => text.includes('"event_type":"phase_entered"'));

interface Line {
  readonly fields: JsonObject;
  readonly message: string;
}

function errorLog(): Log & { readonly errors: readonly Line[] } {
  const errors: Line[] = [];
  const quiet = (): void => {};
  return {
    errors,
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields, message) => void errors.push({ fields: fields as JsonObject, message }),
  };
}

const REFUSED = {
  event_type: "access_refused",
  agent_id: null,
  task_id: null,
  details: { code: "x", status: 401, method: "POST", route: "/tasks/claim", credential: "none" },
};

interface Stopped {
  readonly one: Served;
  readonly ann: Agent;
  readonly folder: string;
}

const made = new Map<number, Promise<Stopped>>();

/** The files of a stopped server with a task in its first phase, and `events` more recorded events. */
async function stopped(events = 0): Promise<Stopped> {
  const like = made.get(events) ?? stop({ events });
  made.set(events, like);
  const { one, ann, folder: from } = await like;
  const folder = temporaryFolder();
  cpSync(from, folder, { recursive: true });
  give(join(folder, "work"));
  return { one: { ...one, folder }, ann, folder };
}

/** Starts such a server and stops it. */
async function stop({
  events = 0,
  before = () => {},
}: {
  events?: number;
  before?: (one: Served) => void;
}): Promise<Stopped> {
  const one = await serve();
  const ann = await one.claim("ann");
  expect((await ann.check("read_files", { path: "a" })).body).toMatchObject({ effect: "allow" });
  before(one);
  const { run } = one.orchestrator.service;
  // A snapshot is saved after a thousand events, with the next commit.
  for (let made = 0; made < events; made += 100)
    await run.record(Array.from({ length: 100 }, () => REFUSED));
  await one.orchestrator.close();
  return { one, ann, folder: one.folder };
}

const again = async (
  { one }: Pick<Stopped, "one">,
  settings?: NonNullable<Parameters<typeof serve>[0]>["settings"],
): Promise<Served & { readonly log: ReturnType<typeof errorLog> }> => {
  const log = errorLog();
  const two = await serve({ beside: one, log, ...(settings && { settings }) });
  onTestFinished(() => two.close());
  return { ...two, log };
};

/** Asserts that a server grants nothing to anybody, and reports why once. */
async function refuses(
  served: Awaited<ReturnType<typeof again>>,
  { task, headers }: Agent,
): Promise<void> {
  const { base, folder, nobody, log } = served;
  const operator = served.as("operator");
  const before = rowsOf(folder);
  const ready = await nobody.get("/ready");
  expect([ready.status, ready.body]).toEqual([503, { ready: false, reason: "log" }]);
  const json = { ...headers, "content-type": "application/json" };
  const asked = [
    ["/tools/check", { task_id: task, tool_name: "read_files", args: { path: "a" } }, json],
    ["/tools/execute", { task_id: task, tool_name: "read_files", args: { path: "a" } }, json],
    [
      "/tasks/transition",
      { task_id: task, target_phase: "BUILD", artifacts: planOf("it works") },
      json,
    ],
    [
      "/tasks/claim",
      { agent_id: "bob" },
      { ...json, authorization: "Bylaw-Enrol enrolment-secret-of-these-tests-long-enough" },
    ],
    ["/tasks", { tasks: [{ id: "another" }] }, { ...json, ...operator.headers }],
  ] as const;
  for (const [path, body, more] of asked) {
    const answer = await fetch(`${base}${path}`, {
      method: "POST",
      headers: more,
      body: JSON.stringify(body),
    });
    expect([path, answer.status, ((await answer.json()) as JsonObject)["code"]]).toEqual([
      path,
      503,
      "BYLAW_CHAIN_BROKEN",
    ]);
  }
  expect((await operator.get("/audit/recent?count=1")).status).toBe(503);
  expect((await nobody.get("/health")).status).toBe(200);
  expect(log.errors).toMatchObject([
    {
      fields: {
        code: "BYLAW_CHAIN_BROKEN",
        fix: expect.stringContaining("bylaw log verify") as string,
      },
    },
  ]);
  expect(rowsOf(folder)).toEqual(before);
}

type Edit = (attacker: Attacker, task: string) => void;

describe("a server that finds its log changed is not ready and grants nothing", () => {
  it.each<[string, Edit, RegExp]>([
    [
      "an event was edited",
      ({ read, write }) => write(read().map(({ text, hash }) => ({ text: forged(text), hash }))),
      /Event \d+ of run `main` does not follow/,
    ],
    [
      "an event was edited and every link recomputed",
      ({ read, write }) => write(linked(textsOf(read()).map(forged))),
      /differs from the saved head: the log was rewritten/,
    ],
    [
      "an event was added with a valid link",
      ({ read, write }, task) => {
        const rows = read();
        write(linked([...textsOf(rows), DONE(task, rows[entered(rows)]?.text ?? "")]));
      },
      /Event \d+ of run `main` was added while no server had it open/,
    ],
    [
      "its last events were removed",
      ({ read, write }) => write(read().slice(0, -2)),
      /its last events were removed/,
    ],
    [
      "its last events were replaced by others",
      ({ read, write }, task) => {
        const rows = read();
        write(linked([...textsOf(rows).slice(0, -1), DONE(task, rows[entered(rows)]?.text ?? "")]));
      },
      /the log was rewritten/,
    ],
    [
      "an event in the middle was removed",
      ({ db }) => db.exec("delete from segments where last = 4"),
      /Event 4 of run `main` is missing/,
    ],
    [
      "a row holds no event",
      ({ db }) => db.exec("update segments set bodies = 'x' where last = 4"),
      /is not an event/,
    ],
    [
      "the saved head was removed",
      ({ db }) => db.exec("delete from documents where kind = 'head'"),
      /is missing from the store/,
    ],
    [
      "the saved head was edited",
      ({ db }) =>
        db.exec(
          `update documents set value = replace(value, '"sequence":', '"sequence":1') where kind = 'head'`,
        ),
      /was not written by this service/,
    ],
  ])("where %s", async (_, edit, message) => {
    const { one, ann, folder } = await stopped();
    attack(folder, (attacker) => edit(attacker, ann.task));
    const two = await again({ one });
    await refuses(two, ann);
    expect(two.log.errors[0]?.fields["err"]).toMatch(message);
    await two.orchestrator.close();
  });

  it("if the whole store was restored to a time when a server had it open", async () => {
    const { one, ann, folder } = await stop({
      before: ({ folder: from }) =>
        cpSync(join(from, "data"), join(from, "earlier"), { recursive: true }),
    });
    for (const end of ["-wal", "-shm"])
      rmSync(join(folder, "data", `store.db${end}`), { force: true });
    for (const end of ["", "-wal"])
      cpSync(join(folder, "earlier", `store.db${end}`), join(folder, "data", `store.db${end}`));
    const two = await again({ one });
    await refuses(two, ann);
    expect(two.log.errors[0]?.fields["err"]).toMatch(
      /was set back: its saved head is older than .*main\.head\.json/,
    );
  });

  it("if events before a sealed snapshot were edited, once it has read them", async () => {
    const { one, ann, folder } = await stopped(1_100);
    attack(folder, ({ read, write }) => {
      expect(read().length).toBeGreaterThan(1_100);
      write(read().map(({ text, hash }) => ({ text: forged(text), hash })));
    });
    const two = await again({ one });
    await expect
      .poll(async () => (await two.nobody.get("/ready")).body)
      .toEqual({ ready: false, reason: "log" });
    await refuses(two, ann);
  });

  it("if an event with a wrong link is added while it runs", async () => {
    const { one } = await stopped();
    const two = await again({ one });
    const bob = await two.claim("bob");
    const rows = rowsOf(one.folder);
    inAnotherProcess(
      one.folder,
      `const { run, head } = db.prepare("select id as run, head from runs").get();
       const insert = db.prepare("insert into segments (run, last, length, bodies, hashes) values (?, ?, 1, ?, ?)");
       insert.run(run, head + 1, text, link);
       db.prepare("update runs set head = ?, link = ?").run(head + 1, link);`,
      { text: DONE(bob.task, rows[entered(rows)]?.text ?? ""), link: NO_LINK },
    );
    const answer = await bob.check("read_files", { path: "a" });
    expect(answer.body["effect"]).not.toBe("allow");
    await refuses(two, bob);
  });
});

describe("an edited snapshot is ignored", () => {
  const unsealed = (text: string): string => text.replace(/,"seal":"[^"]*"\}$/, "}");
  it.each<[string, (text: string) => string]>([
    ["with its seal", (text) => text.replaceAll('"PLAN"', '"DONE"')],
    ["without its seal", (text) => unsealed(text).replaceAll('"PLAN"', '"DONE"')],
  ])("%s, and the log is read from its beginning", async (_, edit) => {
    const { one, ann, folder } = await stopped(1_100);
    attack(folder, ({ db }) => {
      const { value } = db.prepare("select value from documents where kind = 'snapshot'").get() as {
        value: string;
      };
      expect(edit(value)).not.toBe(value);
      db.prepare("update documents set value = ? where kind = 'snapshot'").run(edit(value));
    });
    const two = await again({ one });
    expect((await two.nobody.get("/ready")).body).toEqual({ ready: true });
    expect((await two.as("operator").get(`/tasks/${ann.task}`)).text).toContain('"PLAN"');
    expect(two.log.errors).toEqual([]);
  });
});

describe("a server with an unchanged log is ready", () => {
  const isReady = async (served: Served): Promise<unknown> =>
    (await served.nobody.get("/ready")).body;

  it("after any number of stops", async () => {
    const { one } = await stopped();
    for (let round = 0; round < 3; round += 1) {
      const two = await again({ one });
      expect(await isReady(two)).toEqual({ ready: true });
      await two.claim(`agent-${round}`);
      await two.orchestrator.close();
      expect(two.log.errors).toEqual([]);
    }
  });

  it("after it was killed, with events after its last saved head", async () => {
    const one = await serve();
    onTestFinished(() => one.close());
    const ann = await one.claim("ann");
    // What a process that is killed now leaves behind.
    const data = join(one.folder, "killed");
    cpSync(join(one.folder, "data"), data, { recursive: true });
    const two = await again({ one }, { data });
    expect(await isReady(two)).toEqual({ ready: true });
    expect((await two.as("operator").get(`/tasks/${ann.task}`)).text).toContain('"PLAN"');
    expect(two.log.errors).toEqual([]);
  });

  it("with a store restored from a backup, once its copy of the head is removed", async () => {
    const { one, folder } = await stopped();
    cpSync(join(folder, "data", "store.db"), join(folder, "backup.db"));
    const two = await again({ one });
    await two.claim("bob");
    await two.orchestrator.close();
    cpSync(join(folder, "backup.db"), join(folder, "data", "store.db"));
    const three = await again({ one });
    expect(await isReady(three)).toEqual({ ready: false, reason: "log" });
    await three.orchestrator.close();
    unlinkSync(join(folder, "data", "main.head.json"));
    expect(await isReady(await again({ one }))).toEqual({ ready: true });
  });

  it("with an older store, which has no head", async () => {
    const { one, folder } = await stopped();
    attack(folder, ({ db }) => db.exec("delete from documents where kind in ('head', 'snapshot')"));
    unlinkSync(join(folder, "data", "main.head.json"));
    const two = await again({ one });
    expect(await isReady(two)).toEqual({ ready: true });
    expect(readFileSync(join(folder, "data", "main.head.json"), "utf8")).toContain(
      '"generation":1',
    );
  });

  it("after a process without secrets took part while a server had the log open", async () => {
    const { one } = await stopped();
    const two = await again({ one });
    const other = await openSqliteStore(join(one.folder, "data", "store.db"));
    const last = (await other.events("main", 0, 1_000)).at(-1);
    if (last === undefined) throw new Error("The log has no events.");
    const { timestamp, session_id } = last;
    await other.commit({
      run: "main",
      seen: last.sequence,
      events: [
        {
          timestamp,
          session_id,
          event_type: "tool_result",
          agent_id: null,
          task_id: null,
          details: { id: "c", tool: "x", ok: true, result: null },
        },
      ],
    });
    await other.close();
    await two.claim("bob");
    expect(await isReady(two)).toEqual({ ready: true });
    await two.orchestrator.close();
    expect(await isReady(await again({ one }))).toEqual({ ready: true });
  });

  it("under a new secret, whether or not the old one is named, unless the log was changed", async () => {
    const { one, folder } = await stopped();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const token_secret_file = file("new.secret", "n".repeat(64));
    const old = file("old.secret", readFileSync(join(folder, "data", "token.secret"), "utf8"));
    const two = await again(
      { one },
      { auth: { token_secret_file, old_token_secret_files: [old] } },
    );
    expect(await isReady(two)).toEqual({ ready: true });
    await two.orchestrator.close();
    const three = await again(
      { one },
      { auth: { token_secret_file: file("third.secret", "t".repeat(64)) } },
    );
    expect(await isReady(three)).toEqual({ ready: true });
    await three.orchestrator.close();
    attack(folder, ({ read, write }) =>
      write(read().map(({ text, hash }) => ({ text: forged(text), hash }))),
    );
    const four = await again(
      { one },
      { auth: { token_secret_file: file("fourth.secret", "f".repeat(64)) } },
    );
    expect(await isReady(four)).toEqual({ ready: false, reason: "log" });
  });

  it("as are two servers over one file, whichever ends first", async () => {
    const { one } = await stopped();
    const [two, three] = [await again({ one }), await again({ one })];
    await Promise.all([two.claim("bob"), three.claim("eve")]);
    await two.orchestrator.close();
    await three.claim("joe");
    expect(await isReady(three)).toEqual({ ready: true });
    await three.orchestrator.close();
    expect(await isReady(await again({ one }))).toEqual({ ready: true });
  });
});
