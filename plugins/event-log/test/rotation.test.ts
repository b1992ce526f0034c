import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { eventsOf, findingsOf, givenLog, linesOf, noView, open } from "./kit.ts";

const BY_SIZE = { rotate: { bytes: 2_000, daily: false } };

/** The files of a log, in order. */
const filesOf = (base: string): readonly string[] =>
  readdirSync(base)
    .filter((name) => name.endsWith(".jsonl"))
    .sort(
      (one, other) =>
        Number(one === "run.jsonl") - Number(other === "run.jsonl") || (one < other ? -1 : 1),
    )
    .map((name) => join(base, name));

const recordsOf = (base: string): readonly unknown[] =>
  filesOf(base)
    .flatMap(eventsOf)
    .filter(({ event_type }) => event_type !== "log_anchor");

describe("rotation", () => {
  it("by size begins a new file before the limit, and carries sequence and hash over", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const { write, warnings } = await open(log, join(base, "run.jsonl"), BY_SIZE);
    for (let round = 0; round < 8; round += 1) await write(5);
    const files = filesOf(base);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect(statSync(file).size).toBeLessThanOrEqual(2_000);
    expect(recordsOf(base)).toEqual(log.all);
    for (const [index, file] of files.entries()) {
      if (index === 0) continue;
      const [anchor] = eventsOf(file);
      const before = eventsOf(files[index - 1] ?? "").at(-1);
      expect(anchor).toEqual({
        timestamp: before?.timestamp,
        sequence: before?.sequence,
        session_id: before?.session_id,
        event_type: "log_anchor",
        agent_id: null,
        task_id: null,
        details: { previous_file: files[index - 1]?.split("/").at(-1) },
        hash: before?.hash,
      });
    }
    expect(files[0]).toMatch(/run\.000000000001-0000000000\d\d\.jsonl$/);
    expect(warnings).toEqual([]);
    expect(findingsOf(...files)).toEqual([]);
    for (const file of files) expect(findingsOf(file)).toEqual([]);
  });

  it("by day begins a new file with the first event of a day, also within a batch, and not when the clock goes back", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    log.add(2, "2026-01-17T23:59:59.9Z");
    log.add(2, "2026-01-18T00:00:00Z");
    log.add(1, "2026-01-17T12:00:00Z");
    const { write } = await open(log, join(base, "run.jsonl"), { rotate: { daily: true } });
    await write(1, "2026-01-20T00:00:00Z");
    expect(filesOf(base).map((file) => eventsOf(file).map(({ sequence }) => sequence))).toEqual([
      [1, 2],
      [2, 3, 4, 5],
      [5, 6],
    ]);
    expect(recordsOf(base)).toEqual(log.all);
  });

  it("gives an event that is larger than a file its own file", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const { write } = await open(log, join(base, "run.jsonl"), BY_SIZE);
    await write([{ a: 1 }, { text: "x".repeat(5_000) }, { text: "y".repeat(5_000) }, { a: 2 }]);
    expect(recordsOf(base)).toEqual(log.all);
    expect(filesOf(base)).toHaveLength(4);
  });

  it("is noticed by every other writer, whether or not it rotates itself", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const path = join(base, "run.jsonl");
    const mirrors = [
      await open(log, path, BY_SIZE),
      await open(log, path, BY_SIZE),
      await open(log, path),
    ];
    await Promise.all(
      mirrors.map(async ({ write }) => {
        for (let round = 0; round < 30; round += 1) await write(1);
      }),
    );
    expect(recordsOf(base)).toEqual(log.all);
    expect(mirrors.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(findingsOf(...filesOf(base))).toEqual([]);
  });

  it("continues where a process was stopped between its two steps", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const path = join(base, "run.jsonl");
    const first = await open(log, path, BY_SIZE);
    await first.write(4);
    await first.close();
    renameSync(path, join(base, "run.000000000001-000000000004.jsonl"));
    const second = await open(log, path, BY_SIZE);
    await second.write(2);
    await second.close();
    expect(eventsOf(path).map(({ event_type }) => event_type)).toEqual([
      "log_anchor",
      "tool_result",
      "tool_result",
    ]);
    expect(recordsOf(base)).toEqual(log.all);
    // Stopped while writing the first line of the new file.
    const whole = readFileSync(path, "utf8");
    for (const cut of [
      0,
      1,
      50,
      (linesOf(path)[0] ?? "").length,
      (linesOf(path)[0] ?? "").length + 1,
    ]) {
      writeFileSync(path, whole.slice(0, cut));
      const third = await open(log, path, BY_SIZE);
      await third.close();
      expect(recordsOf(base)).toEqual(log.all);
      expect(findingsOf(...filesOf(base)).filter((rule) => rule !== "TORN_LINE")).toEqual([]);
    }
  });

  it("continues from the previous file if the last one is deleted", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const path = join(base, "run.jsonl");
    const { write, warnings } = await open(log, path, BY_SIZE);
    for (let round = 0; round < 4; round += 1) await write(4);
    rmSync(path);
    await write(1);
    expect(recordsOf(base)).toEqual(log.all);
    expect(warnings).toHaveLength(1);
  });

  it("needs none of the earlier files once they are moved away", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const path = join(base, "run.jsonl");
    const { write, close } = await open(log, path, BY_SIZE);
    for (let round = 0; round < 4; round += 1) await write(4);
    await close();
    for (const file of filesOf(base)) if (file !== path) rmSync(file);
    const left = eventsOf(path);
    const again = await open(log, path, BY_SIZE);
    await again.write(1);
    expect(eventsOf(path)).toEqual([...left, log.all.at(-1)]);
  });

  it("replaces no existing file, and lets its own grow", async () => {
    const base = temporaryFolder();
    const log = givenLog();
    const path = join(base, "run.jsonl");
    const { write, warnings } = await open(log, path, { rotate: { bytes: 1, daily: false } });
    await write(1);
    const taken = join(base, "run.000000000001-000000000001.jsonl");
    writeFileSync(taken, "precious");
    await write(1);
    expect(readFileSync(taken, "utf8")).toBe("precious");
    expect(warnings).toEqual([expect.stringContaining("BYLAW_LOG_UNROTATED")]);
    await write(1);
    expect(recordsOf(base)).toEqual(log.all);
  });

  it("refuses to continue after files of another log", async () => {
    const base = temporaryFolder();
    const path = join(base, "run.jsonl");
    const log = givenLog();
    const first = await open(log, path);
    await first.write(4);
    await first.close();
    renameSync(path, join(base, "run.000000000001-000000000004.jsonl"));
    const other = givenLog("run-1", "other");
    other.add(9);
    await expect(open(other, path)).rejects.toFailWith("BYLAW_LOG_DIVERGED");
  });

  it.skipIf(process.getuid?.() === 0)(
    "fails without losing anything if the folder does not allow it",
    async () => {
      const base = temporaryFolder();
      const log = givenLog();
      const path = join(base, "run.jsonl");
      const { write, writer } = await open(log, path, BY_SIZE);
      await write(4);
      chmodSync(base, 0o500);
      await expect(write(20)).rejects.toFailWith("BYLAW_LOG_UNWRITABLE");
      chmodSync(base, 0o700);
      await writer.write(log.add(), noView);
      expect(recordsOf(base)).toEqual(log.all);
      expect(existsSync(path)).toBe(true);
    },
  );
});
