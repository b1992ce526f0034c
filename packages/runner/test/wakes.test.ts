import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { createMemoryStore } from "@bylaw/log";
import { describe, expect, it } from "vitest";
import { createEmbeddedDriver } from "../src/index.ts";
import { openRestateDriver } from "../src/restate/index.ts";
import { runOnce } from "../src/wakes/run-once.ts";
import { loadPeer } from "../src/wakes/peer-package.ts";

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe("the embedded driver", () => {
  it("answers a wake until there is nothing left to do, and only once among all processes", async () => {
    const store = createMemoryStore();
    const drivers = [1, 2].map(() => createEmbeddedDriver({ store, poll_ms: 5 }));
    const seen: string[] = [];
    const served = drivers.map((driver) =>
      driver.serve(async ({ runId }) => {
        seen.push(runId);
        return seen.filter((run) => run === runId).length < 3 ? "again" : "idle";
      }),
    );
    await drivers[0]?.wake({ runId: "r1" }, { key: "same" });
    await drivers[1]?.wake({ runId: "r1" }, { key: "same" });
    await drivers[1]?.wake({ runId: "r2" });
    await until(() => seen.length === 6);
    await Promise.all(drivers.map((driver) => driver.close()));
    await Promise.all(served);
    expect(seen.toSorted()).toEqual(["r1", "r1", "r1", "r2", "r2", "r2"]);
    const wakes = await store.events("@wakes", 0, 1_000);
    expect(wakes.filter(({ event_type }) => event_type === "wake_answered")).toHaveLength(2);
  });

  it("gives an unanswered wake to another process when its lease ends", async () => {
    let time = Date.now();
    const store = createMemoryStore({ now: () => time });
    const errors: string[] = [];
    const first = createEmbeddedDriver({
      store,
      poll_ms: 5,
      lease_ms: 1_000,
      onError: (error) => void errors.push(String(error)),
    });
    await first.wake({ runId: "r" });
    const failed = first.serve(async () => {
      void first.close();
      throw new Error("no");
    });
    await failed;
    const second = createEmbeddedDriver({ store, poll_ms: 5 });
    const seen: string[] = [];
    const served = second.serve(async ({ runId }) => {
      seen.push(runId);
      return "idle";
    });
    time += 1_000;
    await until(() => seen.length === 1);
    await second.close();
    await served;
    expect([seen, errors]).toEqual([["r"], ["Error: no"]]);
  });
});

it("work that must be done once is done by one of many, by another if that one failed, and again for another version", async () => {
  const store = createMemoryStore();
  const done: string[] = [];
  let atWork = 0;
  const prepare = (version: string) =>
    runOnce(store, { name: "tables", version }, async () => {
      atWork += 1;
      expect(atWork).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      done.push(version);
      if (done.length === 1) throw new Error("no");
    });
  const outcomes = await Promise.allSettled([prepare("1"), prepare("1"), prepare("1")]);
  expect([done, outcomes.filter(({ status }) => status === "rejected").length]).toEqual([
    ["1", "1"],
    1,
  ]);
  await prepare("2");
  await prepare("2");
  expect(done).toEqual(["1", "1", "2"]);
});

it("the driver over Restate reports that there is no server", async () => {
  const driver = await openRestateDriver({ ingress: "http://127.0.0.1:1" });
  await expect(driver.wake({ runId: "r" })).rejects.toFailWith("BYLAW_DRIVER_UNAVAILABLE");
  await driver.close();
});

describe("a package that only users of one driver install", () => {
  it("is not loaded by the package itself", () => {
    const seen = new Set<string>();
    const walk = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/from "([^"]+)"/g)) {
        if (from.startsWith(".")) walk(resolve(dirname(file), from));
        else seen.add(from);
      }
    };
    walk(fileURLToPath(new URL("../src/index.ts", import.meta.url)));
    expect(seen.size).toBeGreaterThan(20);
    expect([...seen].filter((name) => /dbos|restate/.test(name))).toEqual([]);
  });

  it.each(["ingress", "admin", "address"])(
    "refuses a secret in its %s, and does not repeat it",
    async (name) => {
      for (const url of ["http://user:s3cret@127.0.0.1:1", "http://s3cret@127.0.0.1:1", "s3cret"]) {
        const refused = await openRestateDriver({
          ingress: "http://127.0.0.1:1",
          [name]: url,
        }).catch((error: unknown) => error);
        expect(refused).toMatchObject({
          code: "BYLAW_URL_INVALID",
          message: expect.stringContaining(name),
        });
        expect(inspect(refused)).not.toContain("s3cret");
      }
    },
  );

  it("is named in the error if it is missing", async () => {
    const missing = "@bylaw/no-such-engine";
    await expect(loadPeer(missing, () => import(missing))).rejects.toMatchObject({
      code: "BYLAW_DRIVER_UNAVAILABLE",
      fix: "Run `npm install @bylaw/no-such-engine`",
    });
  });
});
