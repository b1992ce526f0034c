import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogEvent } from "@bylaw/kernel";
import { formatEventLine } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { readCases, startPostgres } from "@bylaw/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { bylawHere, json, jsonLines, scratch, start, workplace, type Ran } from "./bylaw.ts";
import { draft, eventsOf, logOf, rotated } from "./log-kit.ts";

const EVENTS = eventsOf(1_200);
const LOG = logOf(EVENTS);
const HEAD = { sequence: EVENTS.length, hash: EVENTS.at(-1)?.hash };

const importInto = (cwd: string, file: string, ...args: readonly string[]): Promise<Ran> =>
  bylawHere(["log", "import", file, "--store", "runs.db", "--run", "main", "--json", ...args], {
    cwd,
  });
const exported = (cwd: string, run = "main"): Promise<Ran> =>
  bylawHere(["log", "export", "--store", "runs.db", "--run", run], { cwd });

async function withStore<T>(cwd: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore(join(cwd, "runs.db"));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const drafts = (events: readonly LogEvent[]): readonly Omit<LogEvent, "sequence" | "hash">[] =>
  events.map(({ sequence: _, hash: __, ...rest }) => rest);

describe("a log that is imported into a store and exported again", () => {
  test("is the same, byte for byte, with the same hashes", async () => {
    const { cwd, run } = workplace({ "log.jsonl": LOG });
    const ran = await importInto(cwd, "log.jsonl");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(json(ran)).toEqual({
      run: "main",
      events: EVENTS.length,
      imported: EVENTS.length,
      head: HEAD,
    });
    expect(await exported(cwd)).toEqual({ code: 0, stdout: LOG, stderr: "" });
    const to = await run("log export --store sqlite:runs.db --run main --to out.jsonl --json");
    expect(json(to)).toEqual({ run: "main", file: "out.jsonl", events: EVENTS.length, head: HEAD });
    expect(readFileSync(join(cwd, "out.jsonl"), "utf8")).toBe(LOG);
    expect(statSync(join(cwd, "out.jsonl")).mode & 0o077).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(["log.jsonl", "out.jsonl", "runs.db"]);
  });

  test("may come from standard input, from rotated files, and without hashes", async () => {
    const { cwd, run } = workplace({
      ...rotated(EVENTS.slice(0, 9), 3, 6),
      "bare.jsonl": logOf(EVENTS.map(({ hash: _, ...event }) => event)),
    });
    const piped = await run("log import - --store runs.db --run piped", { input: LOG });
    expect(piped).toMatchObject({ code: 0, stderr: "" });
    expect((await exported(cwd, "piped")).stdout).toBe(LOG);
    const files = await run(
      "log import log-0.jsonl log-1.jsonl log.jsonl --store runs.db --run files",
    );
    expect(files).toMatchObject({ code: 0, stderr: "" });
    expect((await exported(cwd, "files")).stdout).toBe(logOf(EVENTS.slice(0, 9)));
    expect(await run("log import bare.jsonl --store runs.db --run bare")).toMatchObject({
      code: 0,
    });
    expect((await exported(cwd, "bare")).stdout).toBe(LOG);
  });

  test("is exported as one that verifies, whatever its details are", async () => {
    const { cwd, run } = workplace();
    const odd = {
      z: 1,
      a: [{ y: 1e21, b: "ü\u2028" }],
      "2": 0,
      "10": -0.5,
      "": { "": null },
      "\u{1f600}": "\ue000",
    };
    await withStore(cwd, (store) =>
      store.commit({
        run: "main",
        seen: 0,
        events: [
          draft(0, "session_start"),
          draft(1, "usage_check", { agent_id: "é", details: odd }),
        ],
      }),
    );
    const { stdout } = await exported(cwd);
    writeFileSync(join(cwd, "out.jsonl"), stdout);
    expect(json(await run("log verify out.jsonl --chained --json"))).toMatchObject({
      events: 2,
      findings: [],
    });
    expect(await run("log import out.jsonl --store runs.db --run again")).toMatchObject({
      code: 0,
    });
    expect((await exported(cwd, "again")).stdout).toBe(stdout);
  });
});

describe("bylaw log import", () => {
  const refused = (ran: Ran, code: string): Record<string, unknown> => {
    expect(ran).toMatchObject({ code: 2, stderr: "" });
    const { error } = json(ran) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code });
    return error;
  };

  test("continues where it was cut off", async () => {
    const cwd = scratch({ "log.jsonl": LOG });
    await withStore(cwd, (store) =>
      store.commit({ run: "main", seen: 0, events: drafts(EVENTS.slice(0, 700)) }),
    );
    expect(json(await importInto(cwd, "log.jsonl"))).toMatchObject({
      events: EVENTS.length,
      imported: EVENTS.length - 700,
    });
    expect(json(await importInto(cwd, "log.jsonl"))).toMatchObject({
      events: EVENTS.length,
      imported: 0,
    });
    expect((await exported(cwd)).stdout).toBe(LOG);
  });

  test("continues after it was killed, wherever that was", async () => {
    const cwd = scratch({ "log.jsonl": LOG });
    const child = start("log import log.jsonl --store runs.db --run main", cwd);
    const closed = once(child, "close");
    const store = await openSqliteStore(join(cwd, "runs.db"));
    onTestFinished(() => store.close());
    // Kills it after its first commit, or after it has finished.
    const grown = new Promise<void>((resolve) => void store.watch(() => resolve()));
    await Promise.race([grown, closed]);
    child.kill("SIGKILL");
    await closed;
    const before = (await store.events("main", 0, 10_000)).map(formatEventLine);
    expect(LOG.split("\n").slice(0, before.length)).toEqual(before);
    expect(json(await importInto(cwd, "log.jsonl"))).toMatchObject({
      events: EVENTS.length,
      imported: EVENTS.length - before.length,
    });
    expect((await exported(cwd)).stdout).toBe(LOG);
  });

  test.each([
    [
      "that was edited",
      (lines: readonly string[]) =>
        lines.with(5, lines[5]?.replace('"agent_id":null', '"agent_id":"mallory"') ?? ""),
      6,
    ],
    ["with a line that is missing", (lines: readonly string[]) => lines.toSpliced(5, 1), 6],
    ["with a line that is none", (lines: readonly string[]) => lines.with(5, "x"), 6],
    [
      "with a line that is none at its end",
      (lines: readonly string[]) => [...lines, "x"],
      EVENTS.length + 1,
    ],
    ["without its beginning", (lines: readonly string[]) => lines.slice(1), 1],
    [
      "with a field that no store keeps",
      (lines: readonly string[]) => lines.with(5, lines[5]?.replace(/}$/, ',"more":1}') ?? ""),
      6,
    ],
    [
      "whose fields stand in another order",
      (lines: readonly string[]) =>
        lines.with(5, lines[5]?.replace(/^{(.*?),("sequence":6),/, "{$2,$1,") ?? ""),
      6,
    ],
  ])("refuses a log %s, and creates no store", async (_, change, line) => {
    const cwd = scratch({ "log.jsonl": `${change(LOG.trimEnd().split("\n")).join("\n")}\n` });
    expect(refused(await importInto(cwd, "log.jsonl"), "BYLAW_LOG_INVALID")).toMatchObject({
      file: "log.jsonl",
      line,
    });
    expect(existsSync(join(cwd, "runs.db"))).toBe(false);
  });

  test("refuses the later files of a log without the first one, an empty log, and a missing one", async () => {
    const { cwd, run } = workplace({ ...rotated(EVENTS.slice(0, 9), 3, 6), "empty.jsonl": "\n" });
    expect(refused(await importInto(cwd, "log-1.jsonl"), "BYLAW_LOG_INVALID")["message"]).toContain(
      "continues another file",
    );
    refused(await importInto(cwd, "empty.jsonl"), "BYLAW_LOG_INVALID");
    refused(await importInto(cwd, "nothing.jsonl"), "BYLAW_LOG_UNREADABLE");
    const ran = await run("log import - --store runs.db --run main --json", { input: "x\n" });
    expect(refused(ran, "BYLAW_LOG_INVALID")).toMatchObject({ file: "-", line: 1 });
    expect(existsSync(join(cwd, "runs.db"))).toBe(false);
  });

  test("ignores a last line that was cut off, and takes one that only lacks its line break", async () => {
    const cwd = scratch({ "cut.jsonl": LOG.slice(0, -30), "whole.jsonl": LOG.trimEnd() });
    expect(json(await importInto(cwd, "cut.jsonl"))).toMatchObject({ events: EVENTS.length - 1 });
    expect(json(await importInto(cwd, "whole.jsonl"))).toMatchObject({
      events: EVENTS.length,
      imported: 1,
    });
  });

  test("ignores a partial line of a killed writer if the chain shows that nothing is missing", async () => {
    const lines = LOG.split(/(?<=\n)/);
    const torn = `${lines[5]?.slice(0, 80)}\n`;
    // Cuts in the middle of a character.
    const half = Buffer.concat([
      Buffer.from(lines[5]?.slice(0, 80) ?? ""),
      Buffer.from([0xe2, 0x82, 0x0a]),
    ]);
    const { cwd, run } = workplace({
      "log.jsonl": Buffer.concat([
        Buffer.from(lines.slice(0, 5).join("")),
        Buffer.from(torn),
        half,
        Buffer.from(lines.slice(5).join("")),
      ]),
    });
    const verified = await run("log verify log.jsonl --chained --json");
    expect(verified).toMatchObject({ code: 0 });
    expect(json(verified)["findings"]).toMatchObject([
      { line: 6, rule: "TORN_LINE" },
      { line: 7, rule: "TORN_LINE" },
    ]);
    expect(json(await importInto(cwd, "log.jsonl"))).toMatchObject({
      events: EVENTS.length,
      head: HEAD,
    });
    expect((await exported(cwd)).stdout).toBe(LOG);
    const bare = logOf(EVENTS.map(({ hash: _, ...event }) => event)).split(/(?<=\n)/);
    writeFileSync(join(cwd, "bare.jsonl"), bare.toSpliced(5, 0, torn).join(""));
    refused(
      await run("log import bare.jsonl --store runs.db --run bare --json"),
      "BYLAW_LOG_INVALID",
    );
  });

  test("refuses a run with different or more events, and leaves it unchanged", async () => {
    const { cwd, run } = workplace({ "log.jsonl": logOf(EVENTS.slice(0, 5)) });
    const others = [...drafts(EVENTS.slice(0, 3)), draft(9, "usage_check", { agent_id: "other" })];
    await withStore(cwd, async (store) => {
      await store.commit({ run: "main", seen: 0, events: others });
      await store.commit({ run: "more", seen: 0, events: drafts(EVENTS.slice(0, 6)) });
    });
    const before = (await exported(cwd)).stdout;
    expect(refused(await importInto(cwd, "log.jsonl"), "BYLAW_RUN_EXISTS")["message"]).toContain(
      "Run `main` already holds other events: event 4",
    );
    const more = await run("log import log.jsonl --store runs.db --run more --json");
    expect(refused(more, "BYLAW_RUN_EXISTS")["message"]).toContain("event 6 is not in the log");
    expect((await exported(cwd)).stdout).toBe(before);
    expect((await exported(cwd, "more")).stdout).toBe(logOf(EVENTS.slice(0, 6)));
  });
});

test("bylaw log export overwrites nothing, and leaves nothing behind if it fails", async () => {
  const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 3)), "there.jsonl": "kept\n" });
  await importInto(cwd, "log.jsonl");
  const to = (file: string, run = "main"): Promise<Ran> =>
    bylawHere(["log", "export", "--store", "runs.db", "--run", run, "--to", file], { cwd });
  expect((await to("there.jsonl")).stderr).toMatch(/^error BYLAW_EXPORT_EXISTS: /);
  expect(readFileSync(join(cwd, "there.jsonl"), "utf8")).toBe("kept\n");
  expect((await to("no/where.jsonl")).stderr).toMatch(/^error BYLAW_EXPORT_FAILED: .*ENOENT/);
  expect((await to("new.jsonl", "nobody")).stderr).toMatch(
    /^error BYLAW_RUN_MISSING: No run named `nobody`/,
  );
  expect(readdirSync(cwd).sort()).toEqual(["log.jsonl", "runs.db", "there.jsonl"]);
});

describe("a run of a store", () => {
  const cwd = async (): Promise<string> => {
    const folder = scratch({ "log.jsonl": LOG });
    await importInto(folder, "log.jsonl");
    return folder;
  };

  test("is read by every command like its file", async () => {
    const folder = await cwd();
    const both = async (
      command: string,
      ...args: readonly string[]
    ): Promise<readonly [Ran, Ran]> => [
      await bylawHere(["log", command, "log.jsonl", ...args], { cwd: folder }),
      await bylawHere(["log", command, "--store", "runs.db", "--run", "main", ...args], {
        cwd: folder,
      }),
    ];
    for (const args of readCases<string[]>(import.meta, "commands")) {
      const [file, store] = await both(args[0] ?? "", ...args.slice(1));
      expect([args, store]).toEqual([args, file]);
      expect(store).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test("can be followed as it grows, until it is interrupted", async () => {
    const folder = await cwd();
    const child = start("log tail --follow -n 1 --json --store runs.db --run main", folder);
    let stdout = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const seen = async (sequence: number): Promise<void> => {
      while (!stdout.includes(`"sequence":${sequence},`)) await once(child.stdout ?? child, "data");
    };
    await seen(EVENTS.length);
    await withStore(folder, async (store) => {
      await store.commit({ run: "other", seen: 0, events: [draft(0, "session_start")] });
      await store.commit({
        run: "main",
        seen: EVENTS.length,
        events: [draft(9_000, "usage_check"), draft(9_001, "usage_check")],
      });
    });
    await seen(EVENTS.length + 2);
    const closed = once(child, "close");
    child.kill("SIGINT");
    expect(await closed).toEqual([0, null]);
    const sequences = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as LogEvent).sequence);
    expect(sequences).toEqual([EVENTS.length, EVENTS.length + 1, EVENTS.length + 2]);
  });

  test("is listed with the others of its store, the last to grow at the end", async () => {
    const folder = await cwd();
    await withStore(folder, (store) =>
      store.commit({ run: "first\u001b[2J", seen: 0, events: drafts(EVENTS.slice(0, 2)) }),
    );
    const times = { first: EVENTS[0]?.timestamp, last: EVENTS[1]?.timestamp };
    expect(jsonLines(await bylawHere("log runs --store runs.db --json", { cwd: folder }))).toEqual([
      { run: "first\u001b[2J", head: 2, ...times },
      {
        run: "main",
        head: EVENTS.length,
        first: EVENTS[0]?.timestamp,
        last: EVENTS.at(-1)?.timestamp,
      },
    ]);
    const { code, stdout } = await bylawHere("log runs --store runs.db", { cwd: folder });
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ +/).at(-1))).toEqual([
      "RUN",
      "first\\u001b[2J",
      "main",
      "",
    ]);
    const misspelt = await bylawHere("log tail --store runs.db --run mian", { cwd: folder });
    expect(misspelt).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error BYLAW_RUN_MISSING: .*\n {2}fix: Did you mean `main`\?\n$/,
      ),
    });
    expect(readdirSync(folder).sort()).toEqual(["log.jsonl", "runs.db"]);
  });

  test("is not mistaken for the lines of a log", async () => {
    const folder = await cwd();
    for (const command of ["verify", "tail", "query", "stats"]) {
      const ran = await bylawHere(["log", command, "runs.db"], { cwd: folder });
      expect(ran).toMatchObject({ code: 2 });
      expect(ran.stderr).toMatch(
        /^error BYLAW_LOG_UNREADABLE: runs\.db is an SQLite database, [^\n]*\n {2}fix: .*--store/,
      );
    }
  });

  test("can be read while its writer continues", async () => {
    const folder = await cwd();
    await withStore(folder, async (store) => {
      const run = (...args: readonly string[]): Promise<Ran> =>
        bylawHere(["log", ...args, "--store", "runs.db", "--run", "main"], { cwd: folder });
      const before = readdirSync(folder).sort();
      expect(await run("verify", "--chained")).toMatchObject({ code: 0 });
      await store.commit({
        run: "main",
        seen: EVENTS.length,
        events: [draft(9_000, "usage_check")],
      });
      expect(jsonLines(await run("tail", "-n", "1", "--json"))).toMatchObject([
        { sequence: EVENTS.length + 1 },
      ]);
      expect(readdirSync(folder).sort()).toEqual(before);
      await store.commit({
        run: "main",
        seen: EVENTS.length + 1,
        events: [draft(9_001, "usage_check")],
      });
    });
  });

  test.each(readCases<[string, string, string]>(import.meta, "reading"))(
    "is not created by reading it: bylaw log %s",
    async (command, store, message) => {
      const { cwd: folder, run } = workplace({ "empty.db": "", "text.db": "hello\n".repeat(200) });
      const ran = await run([
        "log",
        command,
        "--store",
        store,
        ...(command === "runs" ? [] : ["--run", "main"]),
      ]);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(/^error BYLAW_STORE_UNUSABLE: /);
      expect(ran.stderr).toContain(message);
      expect(readdirSync(folder).sort()).toEqual(["empty.db", "text.db"]);
      expect(statSync(join(folder, "empty.db")).size).toBe(0);
    },
  );

  test(
    "in PostgreSQL can be imported and exported too, and its password is never printed",
    { timeout: 240_000 },
    async (context) => {
      const server = await startPostgres();
      if (server === undefined) return context.skip();
      onTestFinished(() => server.stop());
      const url = new URL(server.url);
      if (url.password === "") url.password = "s3cret-word";
      url.searchParams.set("schema", "bylaw_cli");
      const folder = scratch({ "log.jsonl": LOG });
      const run = (...args: readonly string[]): Promise<Ran> =>
        bylawHere(["log", ...args, "--store", url.href, "--run", "main"], { cwd: folder });
      expect(await run("import", "log.jsonl")).toMatchObject({ code: 0, stderr: "" });
      expect(await run("export")).toEqual({ code: 0, stdout: LOG, stderr: "" });
      expect(await run("verify", "--chained")).toMatchObject({ code: 0, stderr: "" });
      expect(jsonLines(await run("tail", "-n", "1", "--json"))).toMatchObject([
        { sequence: EVENTS.length },
      ]);
      expect(
        jsonLines(await bylawHere(["log", "runs", "--store", url.href, "--json"], { cwd: folder })),
      ).toMatchObject([{ run: "main", head: EVENTS.length }]);
      const elsewhere = new URL(url.href);
      elsewhere.searchParams.set("schema", "nobodys");
      expect(
        (await bylawHere(["log", "runs", "--store", elsewhere.href], { cwd: folder })).stderr,
      ).toMatch(/^error BYLAW_STORE_UNUSABLE: .*Schema `nobodys`/);
      const gone = new URL(url.href);
      gone.port = "1";
      const missing = new URL(url.href);
      missing.pathname = "/no-such-database";
      for (const other of [gone, missing]) {
        const { code, stdout, stderr } = await bylawHere(
          ["log", "stats", "--store", other.href, "--run", "main"],
          { cwd: folder },
        );
        expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
        expect(stderr).toMatch(/^error BYLAW_STORE_/);
        expect(stderr).not.toContain(url.password);
      }
    },
  );
});

test("the store of a project is read if nothing is named, also from a folder below, and its latest run is the default", async () => {
  const cwd = scratch({ "a.jsonl": logOf(eventsOf(2)), "b.jsonl": logOf(eventsOf(3, "tool_x")) });
  mkdirSync(join(cwd, ".bylaw"));
  mkdirSync(join(cwd, "src/deep"), { recursive: true });
  const below = join(cwd, "src/deep");
  expect((await bylawHere(["log", "runs"], { cwd: below })).stderr).toMatch(
    /No log was named.*`@bylaw\/plugin-event-log`/,
  );
  for (const run of ["a", "b"])
    await bylawHere(`log import ${run}.jsonl --store .bylaw/store.db --run ${run}`, { cwd });
  expect(jsonLines(await bylawHere(["log", "runs", "--json"], { cwd: below }))).toMatchObject([
    { run: "a" },
    { run: "b" },
  ]);
  const all = jsonLines(await bylawHere(["log", "query", "--json"], { cwd: below }));
  expect(all.map(({ run }) => run)).toEqual([...Array(3).fill("a"), ...Array(4).fill("b")]);
  expect((await bylawHere(["log", "query"], { cwd })).stdout).toMatch(/^RUN .*\na .*\n/);
  expect((await bylawHere("log query --format csv", { cwd })).stdout).toMatch(
    /^[^\n]*,run\r\n[^\n]*,a\r\n/,
  );
  expect(jsonLines(await bylawHere("log query --run a --json", { cwd }))[0]).not.toHaveProperty(
    "run",
  );
  const stats = await bylawHere(["log", "stats", "--json"], { cwd: below });
  expect(stats).toMatchObject({ code: 0, stderr: expect.stringContaining("this is run b") });
  expect(json(stats)).toMatchObject({ events: 4 });
  expect((await bylawHere("log stats --run b", { cwd })).stderr).toBe("");
  const exported = await bylawHere("log export --run b --to -", { cwd });
  expect(exported.stdout).toBe((await bylawHere("log export --run b", { cwd })).stdout);
  expect((await bylawHere("status --run a --json", { cwd })).code).toBe(0);
  expect(await bylawHere("report --json", { cwd: below })).toMatchObject({ code: 0, stderr: "" });
});
