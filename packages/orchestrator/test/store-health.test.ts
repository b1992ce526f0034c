import type { Log } from "../src/observe/log.ts";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bylaw/kernel";
import { openPostgresStore } from "@bylaw/store-postgres";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { startPostgres, temporaryFolder } from "@bylaw/testing";
import { afterAll, expect, it, onTestFinished, test } from "vitest";
import { serve, type Agent, type Answer, type Served } from "./operate-kit.ts";

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

function memoryLog(): Log & { readonly lines: readonly JsonObject[] } {
  const lines: JsonObject[] = [];
  const keep = (fields: object, message: string): void =>
    void lines.push({ ...(fields as JsonObject), message });
  return { lines, debug() {}, info() {}, warn: keep, error: keep };
}

const check = (agent: Agent): Promise<Answer> => agent.check("read_files", { path: "a" });
const ready = async ({ nobody }: Served): Promise<unknown> => {
  const { status, body } = await nobody.get("/ready");
  return [status, body];
};
const READY = [200, { ready: true }];
const UNREADY = [503, { ready: false, reason: "store" }];

/** Asserts that a server with a failing store is not ready, reports that to agents and operators, and logs it once. */
async function expectFailing(
  served: Served,
  agent: Agent,
  log: ReturnType<typeof memoryLog>,
  cause: RegExp,
): Promise<void> {
  await expect.poll(() => ready(served)).toEqual(UNREADY);
  for (const answer of [
    await check(agent),
    await agent.send("POST", "/tools/execute", {
      task_id: agent.task,
      tool_name: "read_files",
      args: { path: "a" },
    }),
    await agent.send("POST", "/responses", { text: "done" }),
    await agent.send("POST", "/behaviors", { action: "continue" }),
    await served.as("operator").send("POST", "/tasks", { tasks: [{ id: "later" }] }),
  ]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    // The place of the store and the cause belong only in the log.
    expect(JSON.stringify(answer.body)).not.toMatch(/store\.db|127\.0\.0\.1|\/tmp\//);
  }
  await Promise.all(
    Array.from({ length: 20 }, () =>
      served.as("operator").send("POST", "/tasks", { tasks: [{ id: "later" }] }),
    ),
  );
  expect(
    log.lines.filter(({ message }) => message === "the store fails").map(({ err }) => err),
  ).toEqual([expect.stringMatching(cause)]);
  expect(log.lines.filter(({ message }) => message !== "the store fails")).toEqual([]);
}

test.skipIf(postgres === undefined || postgres.external)(
  "a server is ready again when its PostgreSQL is back",
  async () => {
    const store = await openPostgresStore(postgres?.url ?? "", { retry_ms: 200, schema: "gone" });
    onTestFinished(() => store.close());
    const log = memoryLog();
    const served = await serve({ store, log, settings: { tools: { web_hosts: ["example.org"] } } });
    onTestFinished(() => served.close());
    const ann = await served.claim("ann");
    expect((await check(ann)).status).toBe(200);
    await postgres?.kill();
    await expectFailing(
      served,
      ann,
      log,
      /^PostgreSQL at 127\.0\.0\.1:\d+\/postgres does not answer/,
    );
    await postgres?.restart();
    await expect.poll(() => ready(served)).toEqual(READY);
    expect((await check(ann)).status).toBe(200);
  },
);

test.skipIf(postgres === undefined || postgres.external)(
  "a server reports that its PostgreSQL has become read-only before anybody writes",
  async () => {
    const store = await openPostgresStore(postgres?.url ?? "", {
      retry_ms: 200,
      schema: "readonly",
    });
    onTestFinished(() => store.close());
    const log = memoryLog();
    const served = await serve({ store, log, settings: { tools: { web_hosts: ["example.org"] } } });
    onTestFinished(() => served.close());
    const ann = await served.claim("ann");
    const { Client } = (await import("pg")).default;
    const admin = new Client(postgres?.url);
    await admin.connect();
    onTestFinished(() => admin.end());
    const turn = async (to: "on" | "off"): Promise<void> => {
      await admin.query("set default_transaction_read_only = off");
      await admin.query(`alter system set default_transaction_read_only = ${to}`);
      await admin.query("select pg_reload_conf()");
    };
    onTestFinished(() => turn("off"));
    await turn("on");
    await expectFailing(served, ann, log, /takes no writes: it is read-only/);
    await turn("off");
    await expect.poll(() => ready(served)).toEqual(READY);
    expect((await check(ann)).status).toBe(200);
  },
);

it("a server is not ready while another process has locked its file", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "store.db");
  const store = await openSqliteStore(file, { busy_ms: 200 });
  onTestFinished(() => store.close());
  const log = memoryLog();
  const served = await serve({ store, log, settings: { tools: { web_hosts: ["example.org"] } } });
  onTestFinished(() => served.close());
  const ann = await served.claim("ann");
  const script = `import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(process.argv[1]);
    db.exec("pragma busy_timeout = 10000; begin immediate");
    process.stdout.write("locked");
    process.stdin.on("end", () => db.close()).resume();`;
  const other = spawn(
    process.execPath,
    ["--no-warnings", "--input-type=module", "-e", script, file],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => other.once("exit", resolve));
  await new Promise((resolve) => other.stdout.once("data", resolve));
  await expectFailing(served, ann, log, /locked .*store\.db/);
  other.stdin.end();
  await ended;
  await expect.poll(() => ready(served)).toEqual(READY);
  expect((await check(ann)).status).toBe(200);
});

/** A file system of two mebibytes. `undefined` if this process may not mount one. */
function smallDisk(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const folder = temporaryFolder();
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", folder]);
  if (status === 0) return folder;
  return undefined;
}

it("a server with a full disk is ready again when there is room", async (context) => {
  const folder = smallDisk();
  if (folder === undefined) return context.skip("only root can mount a small disk");
  onTestFinished(() => {
    spawnSync("umount", ["-l", folder]);
  });
  mkdirSync(join(folder, "store"));
  writeFileSync(join(folder, "ballast"), Buffer.alloc(600_000));
  const store = await openSqliteStore(join(folder, "store", "store.db"));
  onTestFinished(() => store.close());
  const log = memoryLog();
  const served = await serve({ store, log, settings: { tools: { web_hosts: ["example.org"] } } });
  onTestFinished(() => served.close());
  const ann = await served.claim("ann");
  const fill = async (): Promise<number> =>
    (await ann.check("read_files", { path: "x".repeat(20_000) })).status;
  for (let status = await fill(); status !== 503; status = await fill()) expect(status).toBe(200);
  for (let status = 200; status !== 503; status = (await check(ann)).status);
  await expectFailing(served, ann, log, /^The disk of .*store\.db is full/);
  rmSync(join(folder, "ballast"));
  await expect.poll(() => ready(served)).toEqual(READY);
  expect((await check(ann)).status).toBe(200);
});
