import { generateKeyPairSync } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CompactSign, importPKCS8 } from "jose";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { verifyHeads } from "../src/index.ts";
import { eventsOf, givenLog, linesOf, open } from "./kit.ts";

interface Keys {
  readonly key_file: string;
  readonly pem: string;
  readonly key: string;
}

function keysIn(base: string, name = "key.pem"): Keys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key_file = join(base, name);
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  writeFileSync(key_file, pem, { mode: 0o600 });
  return { key_file, pem, key: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

/** A log with signed heads, closed. */
async function signed(every_ms = 0, run = "run-1") {
  const base = temporaryFolder();
  const keys = keysIn(base);
  const path = join(base, "run.jsonl");
  const log = givenLog(run);
  const { write, close } = await open(log, path, { sign: { key_file: keys.key_file, every_ms } });
  for (let round = 0; round < 4; round += 1) await write(2);
  await close();
  const heads = readFileSync(`${path}.heads`, "utf8");
  return { ...keys, base, path, log, heads, events: eventsOf(path) };
}

describe("signed heads", () => {
  it("show after each write how far the log has come, durably and for their owner only", async () => {
    const { heads, key, events, path } = await signed();
    expect(await verifyHeads({ heads, key, events })).toMatchObject({
      heads: 4,
      last: { run: "run-1", sequence: 8, hash: events[7]?.hash },
      findings: [],
    });
    expect(statSync(`${path}.heads`).mode & 0o777).toBe(0o600);
  });

  it("are signed at a limited rate, and when the log is closed", async () => {
    const { heads, key, events } = await signed(3_600_000);
    expect(heads.trim().split("\n")).toHaveLength(2);
    expect(await verifyHeads({ heads, key, events })).toMatchObject({
      heads: 2,
      last: { sequence: 8 },
      findings: [],
    });
  });

  it("are signed later if they were not due, without another write", async () => {
    const base = temporaryFolder();
    const { key_file, key } = keysIn(base);
    const path = join(base, "run.jsonl");
    const log = givenLog();
    const { write } = await open(log, path, { sign: { key_file, every_ms: 20 } });
    await write(1);
    await write(1);
    const last = async (): Promise<number | undefined> =>
      (await verifyHeads({ heads: readFileSync(`${path}.heads`, "utf8"), key, events: log.all }))
        .last?.sequence;
    while ((await last()) !== 2) await new Promise(setImmediate);
  });

  it.each(["strict", "batched"] as const)(
    "of every process and every session share one file: %s",
    async (durability) => {
      const base = temporaryFolder();
      const { key_file, key } = keysIn(base);
      const path = join(base, "run.jsonl");
      const log = givenLog();
      for (let session = 0; session < 3; session += 1) {
        const mirrors = await Promise.all(
          [1, 2].map(() => open(log, path, { durability, sign: { key_file, every_ms: 0 } })),
        );
        await Promise.all(mirrors.map(({ write }) => write(2)));
        for (const { close } of mirrors) await close();
      }
      const report = await verifyHeads({
        heads: readFileSync(`${path}.heads`, "utf8"),
        key,
        events: eventsOf(path),
      });
      expect(report).toMatchObject({ last: { sequence: 12 }, findings: [] });
    },
  );

  it("show that the end of a log was cut off, which its chain does not", async () => {
    const { heads, key, events } = await signed();
    const { findings, last } = await verifyHeads({ heads, key, events: events.slice(0, 5) });
    expect(findings.map(({ rule, line, severity }) => ({ rule, line, severity }))).toEqual([
      { rule: "LOG_CUT", line: 3, severity: "error" },
      { rule: "LOG_CUT", line: 4, severity: "error" },
    ]);
    expect(last?.sequence).toBe(4);
  });

  it("show that a log was rewritten, and that an event was removed", async () => {
    const { heads, key, events } = await signed();
    const other = givenLog("run-1", "other");
    other.add(8);
    const anew = await verifyHeads({ heads, key, events: other.all });
    expect(anew.findings.map(({ rule }) => rule)).toEqual(
      Array.from({ length: 4 }, () => "HEAD_MISMATCH"),
    );
    expect(anew).toMatchObject({ heads: 0, last: undefined });
    const without = await verifyHeads({
      heads,
      key,
      events: events.filter(({ sequence }) => sequence !== 4),
    });
    expect(without.findings.map(({ rule }) => rule)).toEqual(["LOG_CUT"]);
  });

  it("prove a rotated log, read as one", async () => {
    const base = temporaryFolder();
    const { key_file, key } = keysIn(base);
    const path = join(base, "run.jsonl");
    const log = givenLog();
    const { write, close } = await open(log, path, {
      sign: { key_file, every_ms: 0 },
      rotate: { bytes: 1_000, daily: false },
    });
    for (let round = 0; round < 6; round += 1) await write(3);
    await close();
    const report = await verifyHeads({
      heads: readFileSync(`${path}.heads`, "utf8"),
      key,
      events: log.all,
    });
    expect(report).toMatchObject({ heads: 6, findings: [] });
  });

  it("are proof only under their key, for their run, and of their type", async () => {
    const { heads, key, events, base, pem } = await signed();
    const stranger = keysIn(base, "other.pem");
    const strange = await verifyHeads({ heads, key: stranger.key, events });
    expect(strange).toMatchObject({ heads: 0, last: undefined });
    expect(new Set(strange.findings.map(({ rule }) => rule))).toEqual(new Set(["HEAD_INVALID"]));
    expect((await verifyHeads({ heads, key, events, run: "run-2" })).findings[0]).toMatchObject({
      rule: "HEAD_OTHER_RUN",
    });
    const { heads: others } = await signed();
    expect((await verifyHeads({ heads: heads + others, key, events })).findings).toHaveLength(4);

    const payload = new TextEncoder().encode(
      JSON.stringify({
        run: "run-1",
        sequence: 8,
        hash: events[7]?.hash,
        at: "2026-01-17T09:00:00Z",
      }),
    );
    const own = await importPKCS8(pem, "EdDSA");
    const letter = await new CompactSign(payload)
      .setProtectedHeader({ alg: "EdDSA", typ: "letter" })
      .sign(own);
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(payload).toString("base64url")}.`;
    for (const forged of [letter, none, "a.b.c", "rubbish"]) {
      expect(await verifyHeads({ heads: `${forged}\n`, key, events })).toMatchObject({
        heads: 0,
        findings: [{ rule: "HEAD_INVALID", line: 1 }],
      });
    }
  });

  it("continue after half a head of a killed process", async () => {
    const { path, log, key, key_file } = await signed();
    appendFileSync(`${path}.heads`, "eyJhbGciOiJFZ");
    const torn = await verifyHeads({
      heads: readFileSync(`${path}.heads`, "utf8"),
      key,
      events: log.all,
    });
    expect(torn.findings).toMatchObject([{ rule: "HEAD_TORN", severity: "warning" }]);
    const { write, close } = await open(log, path, { sign: { key_file, every_ms: 0 } });
    await write(1);
    await close();
    const after = await verifyHeads({
      heads: readFileSync(`${path}.heads`, "utf8"),
      key,
      events: eventsOf(path),
    });
    expect(after).toMatchObject({ last: { sequence: 9 } });
    expect(after.findings.map(({ rule }) => rule)).toEqual(["HEAD_INVALID"]);
    expect(linesOf(`${path}.heads`).at(-1)).not.toBe("");
  });

  it("are not written through a link", async () => {
    const base = temporaryFolder();
    const { key_file } = keysIn(base);
    const path = join(base, "run.jsonl");
    symlinkSync(join(base, "elsewhere"), `${path}.heads`);
    const log = givenLog();
    log.add(1);
    await expect(open(log, path, { sign: { key_file, every_ms: 0 } })).rejects.toFailWith(
      "BYLAW_LOG_IRREGULAR",
    );
    expect(existsSync(join(base, "elsewhere"))).toBe(false);
  });
});

describe("the key of signatures", () => {
  const opened = (base: string, key_file: string): Promise<unknown> =>
    open(givenLog(), join(base, "run.jsonl"), { sign: { key_file, every_ms: 0 } });

  it.each([0o640, 0o604, 0o660, 0o644])(
    "is refused if others can read or write it: mode %o",
    async (mode) => {
      const base = temporaryFolder();
      const { key_file } = keysIn(base);
      chmodSync(key_file, mode);
      await expect(opened(base, key_file)).rejects.toFailWith("BYLAW_KEY_EXPOSED");
      expect(existsSync(join(base, "run.jsonl"))).toBe(false);
    },
  );

  it.each(readCases<[string, string]>(import.meta, "wrong-keys"))(
    "is refused without showing its content: %s",
    async (_, text) => {
      const base = temporaryFolder();
      const key_file = join(base, "key.pem");
      writeFileSync(key_file, text, { mode: 0o600 });
      const refused = opened(base, key_file);
      await expect(refused).rejects.toFailWith("BYLAW_KEY_INVALID");
      if (text !== "")
        expect(
          JSON.stringify(await refused.catch((error: unknown) => [String(error), error])),
        ).not.toContain(text.slice(0, 20));
    },
  );

  it("is refused if it is missing, and as text for verifying", async () => {
    const base = temporaryFolder();
    await expect(opened(base, join(base, "nowhere.pem"))).rejects.toFailWith("BYLAW_KEY_INVALID");
    await expect(opened(base, base)).rejects.toFailWith("BYLAW_KEY_INVALID");
    await expect(verifyHeads({ heads: "", key: "rubbish", events: [] })).rejects.toFailWith(
      "BYLAW_KEY_INVALID",
    );
  });
});
