import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import type { LogEvent } from "@bylaw/kernel";
import { chainEvents } from "@bylaw/log";
import { makeSite, endServers } from "./orchestrator-kit.ts";
import { Ledger } from "../soak/ledger.ts";
import { LogCheck } from "../soak/log-check.ts";
import type { SoakReport } from "../soak/soak.ts";
import { leftFiles, strayProcesses } from "../soak/machine.ts";
import { Traffic } from "../soak/traffic.ts";

const SCRIPT = join(import.meta.dirname, "../soak/run.ts");
const soak = (...args: readonly string[]) =>
  spawnSync(process.execPath, [SCRIPT, "--json", ...args], {
    encoding: "utf8",
    timeout: 110_000,
    killSignal: "SIGTERM",
  });

it("a short soak ends and restarts a loaded server twice, and finds no fault", () => {
  const { status, stdout, stderr } = soak(
    "--minutes",
    "0.16",
    "--step-seconds",
    "5",
    "--agents",
    "4",
    "--pause-ms",
    "30",
    "--seed",
    "7",
  );
  expect(stderr).toBe("");
  const { steps, counts, faults } = JSON.parse(stdout) as SoakReport;
  expect(faults).toEqual([]);
  expect(status).toBe(0);
  expect(steps.map(({ ended }) => ended).sort()).toEqual(["SIGKILL", "SIGTERM"]);
  for (const { acknowledged, events } of steps)
    expect([acknowledged > 0, events > 0]).toEqual([true, true]);
  for (const name of [
    "bad requests",
    "calls denied",
    "calls of read_files",
    "event streams",
    "waits for approval",
  ])
    expect([name, counts[name] ?? 0]).toEqual([
      name,
      expect.toSatisfy((times: number) => times > 0),
    ]);
});

const COMMON = {
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11",
  task_id: "t",
};
type Draft = readonly [event_type: string, agent_id: string | null, details: object];

/** A chained log of one task, with the usual first event. */
const logOf = (drafts: readonly Draft[]): readonly LogEvent[] =>
  chainEvents(
    undefined,
    [["session_start", null, { plan_file: null, total_tasks: 0 }] as const, ...drafts].map(
      ([event_type, agent_id, details]) => ({
        ...{ ...COMMON, event_type, agent_id, details: { ...details } as LogEvent["details"] },
      }),
    ),
  );

async function faultsOf(
  events: readonly LogEvent[],
  acknowledged: readonly string[] = [],
): Promise<readonly string[]> {
  const ledger = new Ledger();
  const store = { events: async (_: string, after: number) => events.slice(after) };
  await new LogCheck(ledger).read(store, "r", acknowledged);
  // These events have only the details that the checks read.
  return ledger.faults().filter((fault) => !fault.includes("INVALID_DETAILS"));
}

const claimed = (agent: string, fence: number) => ["task_claimed", agent, { fence }] as const;
const entered = (agent: string, to: string) => ["phase_entered", agent, { to }] as const;

describe("a soak finds", () => {
  it("no fault in a log in which agents follow each other", async () => {
    const events = [
      claimed("ann", 1),
      entered("ann", "PLAN"),
      ["task_released", "ann", { fence: 1 }],
      claimed("bob", 2),
    ] as const;
    const more = [
      entered("bob", "BUILD"),
      ["task_lapsed", null, { agent: "bob", fence: 3 }],
      claimed("ann", 4),
    ] as const;
    expect(
      await faultsOf(logOf([...events, ...more]), [
        "claimed t by bob at fence 2",
        "entered BUILD with t at 6",
      ]),
    ).toEqual([]);
  });

  it.each(readCases<[string, Draft[], string]>(import.meta, "faults"))(
    "%s",
    async (_, events, fault) => {
      expect(await faultsOf(logOf(events))).toEqual([expect.stringContaining(fault)]);
    },
  );

  it("an acknowledged action that is not in the log", async () => {
    expect(await faultsOf(logOf([claimed("ann", 1)]), ["claimed t by ann at fence 2"])).toEqual([
      "Acknowledged, but not in the log: claimed t by ann at fence 2",
    ]);
  });

  it("a changed event, and a missing one", async () => {
    const events = logOf(["a", "b", "c"].map((text) => ["note", null, { text }]));
    expect(await faultsOf(events)).toEqual([]);
    const changed = events.map((event) =>
      event.sequence === 2 ? { ...event, details: { text: "x" } } : event,
    );
    expect(await faultsOf(changed)).toEqual([expect.stringContaining("Event 2: HASH_MISMATCH")]);
    const missing = await faultsOf(events.toSpliced(1, 1));
    expect(missing).toContainEqual("Event 3 follows 1");
  });

  it.skipIf(process.platform !== "linux")(
    "a program that outlives its call, and a file left behind",
    async () => {
      const site = makeSite([]);
      try {
        for (const folder of ["tmp", "work/t/.bylaw/tmp", "data"])
          mkdirSync(site.path(folder), { recursive: true });
        for (const file of ["data/store.db", "work/t/.bylaw/tmp/.gitignore"])
          writeFileSync(site.path(file), "");
        expect([await strayProcesses(site.folder, 0, 1), leftFiles(site)]).toEqual([[], []]);
        for (const file of ["tmp/a", "work/t/.bylaw/tmp/b", "data/c"])
          writeFileSync(site.path(file), "");
        expect(leftFiles(site)).toEqual(["tmp/a", "data/c", "work/t/.bylaw/tmp/b"]);
        expect(leftFiles(site)).toEqual([]);
        const program = spawn("sleep", ["60"], { cwd: site.path("work/t"), stdio: "ignore" });
        await once(program, "spawn");
        expect(await strayProcesses(site.folder, 0, 1)).toEqual(["sleep 60"]);
        expect(await strayProcesses(site.folder, program.pid ?? 0, 1)).toEqual([]);
        program.kill("SIGKILL");
        await once(program, "exit");
      } finally {
        await endServers();
      }
    },
  );

  it("an error of the server, and a 503 or a broken connection without a restart", async () => {
    const ledger = new Ledger();
    const traffic = new Traffic(ledger);
    const listener: RequestListener = ({ url, socket }, response) => {
      if (url === "/broken") socket.destroy();
      else response.writeHead(Number(url?.slice(1))).end();
    };
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const ask = async (path: string): Promise<void> => {
      await traffic
        .fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`)
        .catch(() => {});
    };
    for (const path of ["200", "404", "503", "500", "broken"]) await ask(path);
    expect(ledger.faults().map((fault) => fault.slice(0, 30))).toEqual([
      expect.stringContaining("503"),
      expect.stringContaining("500"),
      expect.stringContaining("The connection broke"),
    ]);
    traffic.ending();
    for (const path of ["503", "broken"]) await ask(path);
    expect(ledger.faults()).toHaveLength(3);
    await ask("500");
    expect(ledger.faults()[1]).toContain("(2 times)");
    server.close();
  });
});
