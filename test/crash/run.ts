// Kills writers with SIGKILL at random points, and compares what is left with what was acknowledged: node test/crash/run.ts
// [sqlite|postgres|jsonl|rotation|many|driver …] [--rounds 200] [--seed 1]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crashStore, startPostgres, type CrashReport } from "@bylaw/testing";
import { crashJsonl } from "./jsonl.ts";
import { crashDrivers } from "./drivers.ts";
import { crashRotation, manyWriters } from "./many-writers.ts";

type Crash = (folder: string, rounds: number, seed: number) => Promise<CrashReport | undefined>;

const CRASHES: Readonly<Record<string, Crash>> = {
  sqlite: (folder, rounds, seed) => {
    const store = {
      module: import.meta.resolve("@bylaw/store-sqlite"),
      open: "openSqliteStore",
      args: [join(folder, "store.db")],
    };
    return crashStore({ store, rounds, seed });
  },
  async postgres(_, rounds, seed) {
    const server = await startPostgres({ fsync: true });
    if (server === undefined) return undefined;
    // An interrupted script must not leave a server behind.
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => void server.stop().finally(() => process.exit(1)));
    try {
      const args = [server.url, { schema: `crash_${process.pid}`, retry_ms: 30_000 }];
      const store = {
        module: import.meta.resolve("@bylaw/store-postgres"),
        open: "openPostgresStore",
        args,
      };
      // Sometimes the server is killed too, while writers wait for it.
      const disturb = async (random: () => number): Promise<void> => {
        if (server.external || random() > 0.1) return;
        await server.kill();
        await server.restart();
      };
      return await crashStore({ store, rounds, seed, disturb });
    } finally {
      await server.stop();
    }
  },
  jsonl: crashJsonl,
  rotation: crashRotation,
  many: manyWriters,
  driver: crashDrivers,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const names = positionals.length > 0 ? positionals : Object.keys(CRASHES);
for (const name of names) {
  const crash = CRASHES[name];
  if (crash === undefined)
    throw new Error(`Unknown store \`${name}\`. Known stores: ${Object.keys(CRASHES).join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), `bylaw-crash-${name}-`));
  const start = performance.now();
  try {
    const report = await crash(folder, Number(values.rounds), Number(values.seed));
    if (report === undefined) {
      console.log(`${name}: SKIPPED, no server`);
      continue;
    }
    const { rounds, kills, acknowledged, events, unacknowledged, faults } = report;
    const seconds = ((performance.now() - start) / 1e3).toFixed(0);
    console.log(
      `${name}: ${rounds} rounds, ${kills} writers killed, ${acknowledged} writes acknowledged, ${events} events, ` +
        `${unacknowledged} whole writes that nobody was told of, ${faults.length} faults, ${seconds} s`,
    );
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
