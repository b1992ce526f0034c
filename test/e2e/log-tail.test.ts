import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogEvent } from "@bylaw/kernel";
import { formatEventLine } from "@bylaw/log";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { bylaw, jsonLines, makePipe, scratch, start, type Ran } from "./bylaw.ts";
import { anchorOf, eventsOf, logOf } from "./log-kit.ts";

const EVENTS = eventsOf(30);
const event = (sequence: number): LogEvent => EVENTS[sequence - 1] ?? ({} as LogEvent);
const numbers = (ran: Ran): readonly unknown[] => jsonLines(ran).map(({ sequence }) => sequence);

describe("bylaw log tail", () => {
  const tail = (content: string | Uint8Array, ...args: readonly string[]): Ran =>
    bylaw(["log", "tail", "log.jsonl", ...args], { cwd: scratch({ "log.jsonl": content }) });

  test("prints the last ten events, one per line", () => {
    const ran = tail(logOf(EVENTS));
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const rows = ran.stdout.trimEnd().split("\n");
    expect(rows).toHaveLength(10);
    expect(rows[9]).toBe(
      "31       2026-01-17T09:00:30.000Z usage_check              -            -            remaining=29",
    );
  });

  test.each(readCases<[string[], number[]]>(import.meta, "counts"))(
    "prints the requested number of events: %j",
    (args, wanted) => {
      expect(numbers(tail(logOf(EVENTS), ...args, "--json"))).toEqual(wanted);
    },
  );

  test("reads a log of any length from its end, with lines of any length", () => {
    const long = Buffer.from(`${"x".repeat(600_000)}\n`);
    const content = Buffer.concat([
      ...Array.from({ length: 20 }, () => long),
      Buffer.from(logOf(EVENTS.slice(0, 2))),
      long,
      Buffer.from(logOf(EVENTS.slice(2, 3))),
    ]);
    const ran = tail(content, "-n", "4", "--json");
    expect(numbers(ran)).toEqual([1, 2, 3]);
    expect(ran.stderr).toMatch(/^note: a line is not an event: [^\n]*\n$/);
  });

  test("prints a last line without its line break if it is complete, and says so if it is not", () => {
    expect(numbers(tail(logOf(EVENTS).trimEnd(), "-n", "1", "--json"))).toEqual([31]);
    const cut = tail(logOf(EVENTS).slice(0, -20), "-n", "2");
    expect(cut.stdout.split("\n")[0]).toContain("30       ");
    expect(cut.stdout.split("\n")[1]).toMatch(/^no event /);
    expect(cut.stderr).toMatch(/^note: a line is not an event/);
  });

  test("reads the standard input to its end", () => {
    expect(
      numbers(bylaw("log tail - -n 3 --json", { cwd: scratch(), input: logOf(EVENTS) })),
    ).toEqual([29, 30, 31]);
    expect(bylaw("log tail - --follow", { cwd: scratch() })).toMatchObject({ code: 2, stdout: "" });
  });

  test("does not wait for a pipe without a writer", () => {
    const cwd = scratch();
    makePipe(join(cwd, "pipe"));
    const ran = bylaw("log tail pipe", { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^error BYLAW_LOG_UNREADABLE: /);
  });
});

describe("bylaw log tail --follow", () => {
  test("prints each appended event once it is complete, and exits with 0 when it is interrupted", async () => {
    const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 3)) });
    const followed = follow(cwd, "-n", "1");
    await followed.seen(3);
    const line = `${formatEventLine(event(4))}\n`;
    appendFileSync(join(cwd, "log.jsonl"), line.slice(0, 50));
    appendFileSync(join(cwd, "log.jsonl"), line.slice(50) + logOf([event(5)]).slice(0, 30));
    await followed.seen(4);
    appendFileSync(join(cwd, "log.jsonl"), logOf([event(5)]).slice(30));
    await followed.seen(5);
    expect(await followed.interrupt()).toEqual({ code: 0, sequences: [3, 4, 5], stderr: "" });
  });

  test("continues over a rotation, with what was written to the old file and the new one", async () => {
    const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 2)) });
    const followed = follow(cwd);
    await followed.seen(2);
    appendFileSync(join(cwd, "log.jsonl"), logOf([event(3)]));
    rotate(cwd, 1, 3, 4);
    await followed.seen(4);
    appendFileSync(join(cwd, "log.jsonl"), logOf([event(5)]));
    await followed.seen(5);
    expect(await followed.interrupt()).toEqual({ code: 0, sequences: [1, 2, 3, 4, 5], stderr: "" });
  });

  test("misses nothing if the log was rotated several times between two reads", async () => {
    const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 2)) });
    const followed = follow(cwd);
    await followed.seen(2);
    // It cannot read while it is stopped.
    followed.child.kill("SIGSTOP");
    for (let sequence = 2; sequence < 12; sequence += 1)
      rotate(cwd, sequence, sequence, sequence + 1);
    followed.child.kill("SIGCONT");
    await followed.seen(12);
    expect(await followed.interrupt()).toEqual({
      code: 0,
      sequences: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      stderr: "",
    });
  });

  test("reports that the file was replaced by one that does not continue it", async () => {
    const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 2)) });
    const followed = follow(cwd);
    await followed.seen(2);
    writeFileSync(
      join(cwd, "other.jsonl"),
      anchorOf(event(9), "../log.jsonl") + logOf([event(10)]),
    );
    renameSync(join(cwd, "other.jsonl"), join(cwd, "log.jsonl"));
    await followed.seen(10);
    expect(await followed.interrupt()).toEqual({
      code: 0,
      sequences: [1, 2, 10],
      stderr: "note: log.jsonl was replaced; lines may be missing before this one\n",
    });
  });

  test("reports that the file was cut, and reads it from its beginning", async () => {
    const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 5)) });
    const followed = follow(cwd, "-n", "1");
    await followed.seen(5);
    truncateSync(join(cwd, "log.jsonl"), Buffer.byteLength(logOf(EVENTS.slice(0, 1))));
    await followed.seen(1);
    expect(await followed.interrupt()).toEqual({
      code: 0,
      sequences: [5, 1],
      stderr: "note: log.jsonl was cut; it is read from its beginning\n",
    });
  });

  test("waits until a deleted file comes back", async () => {
    const cwd = scratch({ "log.jsonl": logOf(EVENTS.slice(0, 2)) });
    const followed = follow(cwd);
    await followed.seen(2);
    renameSync(join(cwd, "log.jsonl"), join(cwd, "old.jsonl"));
    appendFileSync(join(cwd, "old.jsonl"), logOf([event(3)]));
    await followed.seen(3);
    writeFileSync(join(cwd, "log.jsonl"), anchorOf(event(3), "old.jsonl") + logOf([event(4)]));
    await followed.seen(4);
    expect(await followed.interrupt()).toEqual({ code: 0, sequences: [1, 2, 3, 4], stderr: "" });
  });
});

/** Renames the file, and begins the next one after its last event. */
function rotate(cwd: string, number: number, last: number, next: number): void {
  renameSync(join(cwd, "log.jsonl"), join(cwd, `log.${number}.jsonl`));
  writeFileSync(
    join(cwd, "new"),
    anchorOf(event(last), `log.${number}.jsonl`) + logOf([event(next)]),
  );
  renameSync(join(cwd, "new"), join(cwd, "log.jsonl"));
}

interface Followed {
  readonly child: ChildProcess;
  /** Resolves once this event was printed. */
  seen(sequence: number): Promise<void>;
  interrupt(): Promise<{
    readonly code: unknown;
    readonly sequences: readonly number[];
    readonly stderr: string;
  }>;
}

function follow(cwd: string, ...args: readonly string[]): Followed {
  const child = start(["log", "tail", "--follow", "--json", ...args, "log.jsonl"], cwd);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const sequences = (): readonly number[] =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as LogEvent).sequence);
  return {
    child,
    async seen(sequence) {
      while (!sequences().includes(sequence)) await once(child.stdout ?? child, "data");
    },
    async interrupt() {
      const closed = once(child, "close");
      child.kill("SIGINT");
      const [code] = (await closed) as [number | null];
      return { code, sequences: sequences(), stderr };
    },
  };
}
