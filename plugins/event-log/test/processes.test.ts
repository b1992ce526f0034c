import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileLock } from "../src/lock.ts";
import { child, nodeFlags, start } from "./children.ts";
import { eventsOf, findingsOf, givenLog, open, mirrored } from "./kit.ts";

const isRoot = process.getuid?.() === 0;
const allOf = async (file: string): Promise<readonly unknown[]> => {
  const store = await openSqliteStore(file);
  const events = await store.events("shared", 0, 100_000);
  await store.close();
  return events;
};

// A torn line is one finding, and processes may read the clock and then wait for the store.
const ofOrder = (rule: string): boolean =>
  !["INVALID_JSON", "TORN_LINE", "TIMESTAMP_BACKWARDS"].includes(rule);

describe("the lock", () => {
  it("is held by one at a time, between processes and within one", async () => {
    const path = join(temporaryFolder(), "lock");
    const locks = [new FileLock(path), new FileLock(path), new FileLock(path)];
    onTestFinished(() => locks.forEach((lock) => lock.close()));
    let inside = 0;
    let most = 0;
    const turns = locks.flatMap((lock) => [
      (async () => {
        for (let turn = 0; turn < 20; turn += 1) {
          await lock.hold(async () => {
            most = Math.max(most, (inside += 1));
            await new Promise(setImmediate);
            inside -= 1;
          });
        }
      })(),
    ]);
    await Promise.all(turns);
    expect(most).toBe(1);
  });

  it("is released by a process that is killed", async () => {
    const path = join(temporaryFolder(), "lock");
    const holder = start("holder.ts", path);
    await holder.said((line) => line === "held");
    const lock = new FileLock(path, 60_000);
    onTestFinished(() => lock.close());
    let got = false;
    const mine = lock.hold(async () => {
      got = true;
    });
    await expect(new FileLock(path, 0).hold(async () => {})).rejects.toFailWith("BYLAW_LOG_BUSY");
    expect(got).toBe(false);
    holder.process.kill("SIGKILL");
    await mine;
  });

  it("of a process that is suspended makes others deny in time, with the reason", async () => {
    const { path, log, write } = await mirrored({ wait_ms: 50 });
    const holder = start("holder.ts", `${path}.lock`);
    await holder.said((line) => line === "held");
    holder.process.kill("SIGSTOP");
    await expect(write(1)).rejects.toFailWith("BYLAW_LOG_BUSY");
    holder.process.kill("SIGKILL");
    await holder.ended;
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("writes nothing into its file after the first time", async () => {
    const path = join(temporaryFolder(), "lock");
    const lock = new FileLock(path);
    onTestFinished(() => lock.close());
    await lock.hold(async () => {});
    const bytes = readFileSync(path);
    for (let turn = 0; turn < 5; turn += 1) await lock.hold(async () => {});
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe("many processes", () => {
  it.each([
    ["one file", 8, {}],
    ["files that rotate", 4, { rotate: { bytes: 10_000 } }],
  ])(
    "append to %s: no gaps, each event once, in the order of the store",
    async (_, processes, more) => {
      const base = temporaryFolder();
      const task = {
        store: join(base, "store.db"),
        count: 50,
        options: { file: join(base, "logs/{run}.jsonl"), ...more },
      };
      const writers = Array.from({ length: processes }, (__, index) =>
        start("appender.ts", JSON.stringify({ ...task, id: `w${index}` })),
      );
      expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual(writers.map(() => 0));
      const all = await allOf(task.store);
      expect(all).toHaveLength(processes * 50 + 1);
      const files = execFileSync(
        "sh",
        [
          "-c",
          'ls "$1" | grep "jsonl$" | grep -v "^shared.jsonl$"; true',
          "sh",
          join(base, "logs"),
        ],
        { encoding: "utf8" },
      )
        .split("\n")
        .filter((name) => name !== "")
        .concat("shared.jsonl")
        .map((name) => join(base, "logs", name));
      expect(
        files.flatMap(eventsOf).filter(({ event_type }) => event_type !== "log_anchor"),
      ).toEqual(all);
      expect(findingsOf(...files).filter(ofOrder)).toEqual([]);
    },
  );

  it("killed at any time lose nothing that was acknowledged, and block nobody", async () => {
    const base = temporaryFolder();
    const task = {
      store: join(base, "store.db"),
      count: 100_000,
      options: { file: join(base, "{run}.jsonl") },
    };
    const acknowledged: string[] = [];
    for (const after of [1, 7, 23, 40]) {
      const writers = [0, 1].map((index) =>
        start("appender.ts", JSON.stringify({ ...task, id: `r${after}w${index}` })),
      );
      for (const [index, { said, process, lines, ended }] of writers.entries()) {
        await said((line) => line === "open");
        while (lines.length <= after + index) await new Promise(setImmediate);
        process.kill("SIGKILL");
        expect(await ended).toBe("SIGKILL");
      }
      acknowledged.push(...writers.flatMap(({ lines }) => lines.slice(1)));
    }
    const last = start("appender.ts", JSON.stringify({ ...task, id: "last", count: 1 }));
    expect(await last.ended).toBe(0);
    const path = join(base, "shared.jsonl");
    const events = eventsOf(path);
    expect(events).toEqual(await allOf(task.store));
    const there = new Map(
      events.map(({ sequence, details }) => [`${sequence} ${String(details["id"])}`, true]),
    );
    expect(acknowledged.filter((line) => !there.has(line))).toEqual([]);
    expect(findingsOf(path).filter(ofOrder)).toEqual([]);
  });
});

describe("something else in the place of the file", () => {
  const refusal = { code: "BYLAW_LOG_IRREGULAR" };

  it.each<[string, (path: string) => unknown]>([
    ["a link to a file", (path) => symlinkSync(join(path, "../target"), path)],
    ["a link to nothing", (path) => symlinkSync("/nowhere/at/all", path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a folder", (path) => mkdirSync(path)],
    ["a device", (path) => symlinkSync("/dev/null", path)],
  ])("is refused and left unchanged: %s", async (_, make) => {
    const base = temporaryFolder();
    const path = join(base, "run.jsonl");
    writeFileSync(join(base, "target"), "precious");
    make(path);
    const log = givenLog();
    log.add(1);
    await expect(open(log, path)).rejects.toMatchObject(refusal);
    expect(lstatSync(path).isFile()).toBe(false);
    expect(readFileSync(join(base, "target"), "utf8")).toBe("precious");
  });

  it("is refused: a socket, and a link in the place of the lock", async () => {
    const base = temporaryFolder();
    const path = join(base, "run.jsonl");
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    await expect(open(givenLog(), path)).rejects.toMatchObject(refusal);
    symlinkSync(join(base, "elsewhere"), join(base, "other.jsonl.lock"));
    await expect(open(givenLog(), join(base, "other.jsonl"))).rejects.toMatchObject(refusal);
  });

  it("that appears while the run is open stops the run", async () => {
    const base = temporaryFolder();
    const path = join(base, "run.jsonl");
    const log = givenLog();
    const { write } = await open(log, path);
    await write(1);
    execFileSync("mv", [path, join(base, "target")]);
    symlinkSync(join(base, "target"), path);
    await expect(write(1)).rejects.toMatchObject(refusal);
    expect(eventsOf(join(base, "target"))).toHaveLength(1);
  });

  it("is reported as unwritable: a file in the place of a folder, and a damaged lock", async () => {
    const base = temporaryFolder();
    writeFileSync(join(base, "file"), "");
    await expect(open(givenLog(), join(base, "file/run.jsonl"))).rejects.toFailWith(
      "BYLAW_LOG_UNWRITABLE",
    );
    writeFileSync(join(base, "run.jsonl.lock"), "rubbish".repeat(1_000));
    await expect(open(givenLog(), join(base, "run.jsonl"))).rejects.toFailWith(
      "BYLAW_LOG_UNWRITABLE",
    );
  });

  it.skipIf(isRoot)("is reported as unwritable: a folder without write permission", async () => {
    const base = temporaryFolder();
    chmodSync(base, 0o500);
    await expect(open(givenLog(), join(base, "run.jsonl"))).rejects.toFailWith(
      "BYLAW_LOG_UNWRITABLE",
    );
    chmodSync(base, 0o700);
  });
});

interface Filled {
  readonly codes: readonly string[];
  readonly acknowledged: number;
  readonly all: number;
  readonly full: readonly string[];
  readonly after: readonly string[];
}
const whole = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => {
    try {
      return [(JSON.parse(line) as { readonly sequence: number }).sequence];
    } catch {
      return [];
    }
  });
const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

async function filled(
  command: string,
  args: readonly string[],
  path: string,
  ballast = "",
): Promise<Filled> {
  const script = join(import.meta.dirname, "children/filler.ts");
  const started = child(
    spawn(command, [...args, process.execPath, ...nodeFlags, script, path, ballast], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  expect(await started.ended).toBe(0);
  return JSON.parse(started.lines.join("\n")) as Filled;
}

describe("a disk without room", () => {
  it("denies, keeps every acknowledged event, and behaves the same at a limit of the process", async () => {
    // The shell ignores the signal, so that the process gets an error like on a full disk.
    const limit = 'trap "" XFSZ; ulimit -f 64; exec "$@"';
    const { codes, acknowledged, full } = await filled(
      "bash",
      ["-c", limit, "bash"],
      join(temporaryFolder(), "run.jsonl"),
    );
    expect(new Set(codes)).toEqual(new Set(["BYLAW_LOG_UNWRITABLE (EFBIG)"]));
    expect(acknowledged).toBeGreaterThan(10);
    expect(whole(full).slice(0, acknowledged)).toEqual(upTo(acknowledged));
  });

  it.skipIf(!isRoot || process.platform !== "linux")(
    "catches up once there is room again",
    async ({ skip }) => {
      const base = temporaryFolder();
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", base], { stdio: "pipe" });
      } catch {
        skip("no tmpfs may be mounted here, not even as root");
      }
      onTestFinished(() => void execFileSync("umount", ["-l", base]));
      const ballast = join(base, "ballast");
      writeFileSync(ballast, Buffer.alloc(150_000));
      const { codes, acknowledged, all, full, after } = await filled(
        "env",
        [],
        join(base, "run.jsonl"),
        ballast,
      );
      expect(new Set(codes)).toEqual(new Set(["BYLAW_LOG_UNWRITABLE (ENOSPC)"]));
      expect(acknowledged).toBeGreaterThan(10);
      expect(whole(full).slice(0, acknowledged)).toEqual(upTo(acknowledged));
      expect(whole(after)).toEqual(upTo(all));
    },
  );

  it.skipIf(!isRoot)("or a read-only one is reported to users other than root", async () => {
    const base = temporaryFolder();
    chownSync(base, 65_534, 65_534);
    chmodSync(base, 0o500);
    const script = `
      // Before it is nobody, who may not be able to read the repository.
      const { openMirror } = await import(process.argv[1]);
      process.setgroups?.([]); process.setgid?.(65534); process.setuid?.(65534);
      const log = { run: "r", session: "s", events: async () => [] };
      await openMirror(log, { path: process.argv[2], durability: "strict", flush_ms: 1, rotate: { daily: false }, warn() {} })
        .then(() => console.log("opened"), (error) => console.log(error.code));
    `;
    const mirror = join(import.meta.dirname, "../src/mirror.ts");
    const started = child(
      spawn(
        process.execPath,
        [...nodeFlags, "--input-type=module", "-e", script, mirror, join(base, "run.jsonl")],
        { stdio: ["ignore", "pipe", "inherit"] },
      ),
    );
    await started.ended;
    expect(started.lines).toEqual(["BYLAW_LOG_UNWRITABLE"]);
  });
});

it("a disk that fails to sync stops the run for good: it is never asked again", async () => {
  const path = join(temporaryFolder(), "run.jsonl");
  const log = givenLog();
  let asked = 0;
  let fails = false;
  const sync = async (): Promise<void> => {
    asked += 1;
    if (fails) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
  };
  const { write, close } = await open(log, path, { sync });
  await write(1);
  fails = true;
  await expect(write(1)).rejects.toFailWith("BYLAW_LOG_UNSYNCED");
  const before = asked;
  fails = false;
  await expect(write(1)).rejects.toFailWith("BYLAW_LOG_UNSYNCED");
  await expect(close()).rejects.toFailWith("BYLAW_LOG_UNSYNCED");
  expect(asked).toBe(before);
  const again = await open(log, path);
  await again.write(1);
  expect(eventsOf(path)).toEqual(log.all);
});
