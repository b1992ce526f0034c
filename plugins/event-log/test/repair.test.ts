import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  eventsOf,
  findingsOf,
  givenLog,
  linesOf,
  noView,
  open,
  type GivenLog,
  mirrored,
} from "./kit.ts";

/** A closed file with these events. */
async function written(
  count = 5,
): Promise<{ readonly path: string; readonly log: GivenLog; readonly bytes: Buffer }> {
  const { path, log, write, close } = await mirrored();
  await write(count);
  await close();
  return { path, log, bytes: readFileSync(path) };
}

describe("the end of a file that a stopped writer left", () => {
  it("gets the missing line break after a complete event", async () => {
    const { path, log, bytes } = await written();
    truncateSync(path, bytes.length - 1);
    const { write, warnings } = await open(log, path);
    await write(1);
    expect(readFileSync(path).subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(eventsOf(path)).toEqual(log.all);
    expect(warnings).toEqual([]);
  });

  it("is set aside and reported if it is torn, and stays in the file on its own line", async () => {
    const { path, log, bytes } = await written();
    const cut = bytes.length - 30;
    truncateSync(path, cut);
    const torn = bytes.subarray(bytes.lastIndexOf(0x0a, bytes.length - 2) + 1, cut);
    const { write, warnings } = await open(log, path);
    expect(readFileSync(`${path}.torn-1`).equals(torn)).toBe(true);
    expect(statSync(`${path}.torn-1`).mode & 0o777).toBe(0o600);
    expect(warnings).toEqual([expect.stringContaining("BYLAW_LOG_TORN")]);
    await write(2);
    expect(readFileSync(path).subarray(0, cut).equals(bytes.subarray(0, cut))).toBe(true);
    expect(eventsOf(path)).toEqual(log.all);
    expect(findingsOf(path)).toEqual(["TORN_LINE"]);
  });

  it("is set aside once, also by the next process, and under another name if it differs", async () => {
    const { path, log } = await written();
    appendFileSync(path, '{"timestamp":"2026');
    writeFileSync(`${path}.torn-1`, "of another time");
    writeFileSync(`${path}.torn-2`, '{"timestamp":"2026');
    await open(log, path);
    expect(readdirSync(join(path, ".."))).not.toContain("run.jsonl.torn-3");
  });

  it.skipIf(process.platform === "win32")(
    "is set aside even if a pipe without a writer has the first name",
    async () => {
      const { path, log } = await written();
      appendFileSync(path, '{"timestamp":"2026');
      execFileSync("mkfifo", [`${path}.torn-1`]);
      await open(log, path);
      expect(readFileSync(`${path}.torn-2`, "utf8")).toBe('{"timestamp":"2026');
    },
  );

  it("is repaired wherever it was cut, and the bytes before the cut stay unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (where) => {
        const { path, log, bytes } = await written(3);
        const cut = Math.floor(where * bytes.length);
        truncateSync(path, cut);
        const { write, close } = await open(log, path);
        await write(1);
        await close();
        expect(readFileSync(path).subarray(0, cut).equals(bytes.subarray(0, cut))).toBe(true);
        expect(eventsOf(path)).toEqual(log.all);
      }),
      { numRuns: 40 },
    );
  });

  it("is repaired while the file is open, because another writer may stop at any time", async () => {
    const { path, log } = await written();
    const { write } = await open(log, path);
    appendFileSync(path, '{"timestamp":"2026-01-17T09:00:00Z","sequ');
    await write(2);
    expect(eventsOf(path)).toEqual(log.all);
    expect(existsSync(`${path}.torn-1`)).toBe(true);
  });

  it("is repaired if a power loss left zeros", async () => {
    const { path, log, bytes } = await written();
    truncateSync(path, bytes.length - 10);
    appendFileSync(path, Buffer.alloc(100_000));
    const { write } = await open(log, path);
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
    expect(statSync(`${path}.torn-1`).size).toBeGreaterThan(100_000);
  });

  it("is repaired if it was cut within a character", async () => {
    const { path, log } = await written();
    appendFileSync(path, Buffer.from('{"timestamp":"é').subarray(0, -1));
    const { write } = await open(log, path);
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("survives concurrent repairs by several writers", async () => {
    const { path, log } = await written();
    appendFileSync(path, '{"torn');
    const mirrors = await Promise.all([1, 2, 3].map(() => open(log, path)));
    await Promise.all(mirrors.map(({ write }) => write(1)));
    expect(eventsOf(path)).toEqual(log.all);
    expect(mirrors.flatMap(({ warnings }) => warnings)).toHaveLength(1);
  });
});

describe("lines without an event", () => {
  it.each([
    ["no JSON", "no JSON at all"],
    ["another object", '{"level":"info"}'],
    ["nothing", ""],
    ["a list", "[1,2]"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x22])],
    ["zeros", Buffer.alloc(70_000)],
  ])("at the end lose no event: %s", async (_, line) => {
    const { path, log, bytes } = await written();
    appendFileSync(path, Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
    const { write } = await open(log, path);
    await write(2);
    expect(readFileSync(path).subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("in the middle lose no event after them", async () => {
    const { path, log } = await written();
    const [first = "", ...rest] = linesOf(path);
    writeFileSync(path, `${[first, "{{{{", ...rest].join("\n")}\n`);
    const { write } = await open(log, path);
    await write(2);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("lose nothing in a file with only such lines", async () => {
    const path = join(temporaryFolder(), "run.jsonl");
    writeFileSync(path, "one\ntwo\n".repeat(20_000));
    const log = givenLog();
    const { write } = await open(log, path);
    await write(2);
    expect(eventsOf(path)).toEqual(log.all);
  });
});

describe("a file that an editor changed", () => {
  it("with carriage returns continues", async () => {
    const { path, log, bytes } = await written();
    writeFileSync(path, bytes.toString("utf8").replaceAll("\n", "\r\n"));
    const { write } = await open(log, path);
    await write(1);
    expect(linesOf(path)).toHaveLength(6);
    expect(eventsOf(path)).toEqual(log.all);
  });

  it("with a byte order mark continues", async () => {
    const { path, log, write, close } = await mirrored();
    await write(1);
    await close();
    writeFileSync(path, `\ufeff${readFileSync(path, "utf8")}`);
    const again = await open(log, path);
    await again.write(1);
    expect(linesOf(path)).toHaveLength(2);
    expect(JSON.parse(linesOf(path)[1] ?? "")).toEqual(log.all[1]);
  });

  it("with other spaces continues: its content counts", async () => {
    const { path, log } = await written(1);
    writeFileSync(
      path,
      `${JSON.stringify(JSON.parse(linesOf(path)[0] ?? ""), null, 1).replaceAll("\n", "")}\n`,
    );
    const { write } = await open(log, path);
    await write(1);
    expect(eventsOf(path)).toEqual(log.all);
  });
});

describe("a file that contradicts the store", () => {
  const refusal = { code: "BYLAW_LOG_DIVERGED" };

  it("keeps a run closed: another log", async () => {
    const { path, bytes } = await written();
    const other = givenLog("run-1", "other");
    other.add(7);
    await expect(open(other, path)).rejects.toMatchObject(refusal);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it("keeps a run closed: ahead of a lost store", async () => {
    const { path, bytes } = await written();
    const lost = givenLog();
    await expect(open(lost, path)).rejects.toMatchObject(refusal);
    lost.add(4);
    await expect(open(lost, path)).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("event 5") as string,
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    lost.add(1);
    await open(lost, path);
  });

  it("keeps a run closed: a changed last event", async () => {
    const { path, log } = await written();
    writeFileSync(path, readFileSync(path, "utf8").replace('"number":5', '"number":6'));
    await expect(open(log, path)).rejects.toMatchObject(refusal);
  });

  it("stops a writer in the middle of its work, without quoting the lines", async () => {
    const { path, log } = await written();
    const { write, writer } = await open(log, path);
    appendFileSync(
      path,
      (linesOf(path).at(-1) ?? "")
        .replace('"number":5', '"password":"hunter2"')
        .replace('"sequence":5', '"sequence":6') + "\n",
    );
    await expect(write(1)).rejects.toMatchObject(refusal);
    const told = await Promise.resolve(writer.write(log.add(), noView)).catch(String);
    expect(told).not.toContain("hunter2");
  });

  it("stops a writer whose file shrinks while it grows", async () => {
    const { path, log } = await written();
    const { write } = await open(log, path);
    await write(1);
    appendFileSync(path, `${linesOf(path)[1]}\n`);
    await expect(write(1)).rejects.toMatchObject(refusal);
  });

  it("stops if the store lacks an event that the writer was given", async () => {
    const { writer } = await mirrored();
    const other = givenLog();
    other.add(5);
    await expect(writer.write(other.all.slice(3), noView)).rejects.toMatchObject(refusal);
  });
});
