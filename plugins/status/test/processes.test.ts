import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { createStatus } from "../src/index.ts";
import { start } from "./children.ts";

const FILE = ".bylaw/runs/main/status.json";

/** The text that the store's log results in. */
async function rebuilt(base: string): Promise<string> {
  const store = await openSqliteStore(join(base, "store.db"));
  const status = createStatus();
  status.add(await store.events("main", 0, 100_000));
  await store.close();
  return status.text();
}

describe("the file of a status", () => {
  it("is complete for a reader at any time, while its writers run and are killed", async () => {
    const base = temporaryFolder();
    const reader = start("reader.ts", join(base, FILE));
    const first = start("writer.ts", base, "agent_a", "1000000");
    await reader.said((line) => line === "reading");
    first.process.kill("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");
    for (const killed of [3, 17, 40]) {
      const writer = start("writer.ts", base, "agent_a", "1000000");
      await writer.said((line) => line === `recorded ${killed}`);
      writer.process.kill("SIGKILL");
      expect(await writer.ended).toBe("SIGKILL");
      // After a kill, the file is a complete status of an earlier moment.
      expect(JSON.parse(readFileSync(join(base, FILE), "utf8"))).toMatchObject({
        schema_version: 1,
      });
    }
    const last = start("writer.ts", base, "agent_a", "5");
    expect(await last.ended).toBe(0);
    reader.process.stdin?.end();
    await reader.ended;
    const { whole, faults } = JSON.parse(reader.lines.at(-1) ?? "") as {
      readonly whole: number;
      readonly faults: readonly string[];
    };
    expect(faults).toEqual([]);
    expect(whole).toBeGreaterThan(20);
    expect(readFileSync(join(base, FILE), "utf8")).toBe(await rebuilt(base));
    expect(last.lines.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("ends in the state of the log when several processes keep one run", async () => {
    const base = temporaryFolder();
    const writers = ["agent_a", "agent_b", "agent_c"].map((agent) =>
      start("writer.ts", base, agent, "25"),
    );
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    expect(
      writers.flatMap(({ lines }) => lines.filter((line) => line.startsWith("error"))),
    ).toEqual([]);
    const text = readFileSync(join(base, FILE), "utf8");
    expect(text).toBe(await rebuilt(base));
    const { agents } = JSON.parse(text) as {
      readonly agents: Readonly<Record<string, { reliability: { by_round: object } }>>;
    };
    expect(
      Object.values(agents).map(({ reliability }) => Object.keys(reliability.by_round).length),
    ).toEqual([25, 25, 25]);
    expect(readdirSync(join(base, ".bylaw/runs/main"))).toEqual(["status.json"]);
  });
});
