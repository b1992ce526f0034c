import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { createCatalogue, createLogVerifier, formatEventLine, openRun } from "@bylaw/log";
import { coordinatorOrder } from "@bylaw/plugin-coordinator";
import { coordinator } from "@bylaw/ruleset-coordinator";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { afterAll, expect, it } from "vitest";
import { root } from "../contract/workspaces.ts";

const TASKS = 12;
const WRITERS = 4;

// One process that tries to claim every task, and prints the ones it got.
const WRITER = `
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { coordinatorOrder } from "@bylaw/plugin-coordinator";
import { coordinator } from "@bylaw/ruleset-coordinator";
import { openSqliteStore } from "@bylaw/store-sqlite";

const [file, agent] = process.argv.slice(2);
const store = await openSqliteStore(file);
const run = await openRun(createKernel({ extends: [coordinator] }), { run: "r1", store, join: true });
const got = [];
for (let index = 0; index < ${TASKS}; index += 1) {
  const task = "task-" + index;
  const details = { task_id: task, agent_id: agent, blocked_by: [] };
  try {
    await run.record([{ event_type: "developer_dispatched", agent_id: agent, task_id: task, details }]);
    got.push(task);
  } catch (error) {
    if (error.code !== "BYLAW_EVENT_REFUSED" || !error.fix.includes("DISPATCH_NOT_AVAILABLE")) throw error;
  }
}
await run.close();
await store.close();
process.stdout.write(JSON.stringify(got));
`;

const folder = mkdtempSync(join(root, "node_modules", ".bylaw-race-"));
const database = mkdtempSync(join(tmpdir(), "bylaw-race-"));
afterAll(() => {
  for (const made of [folder, database]) rmSync(made, { recursive: true, force: true });
});

function write(program: string, args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, problem] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(out) as readonly string[]);
      else reject(new Error(problem));
    });
  });
}

it("processes that share one log in a SQLite file dispatch each task exactly once, whichever is faster", async () => {
  const file = join(database, "log.sqlite");
  const program = join(folder, "writer.mjs");
  writeFileSync(program, WRITER);
  const store = await openSqliteStore(file);
  const run = await openRun(createKernel({ extends: [coordinator] }), { run: "r1", store });
  const got = await Promise.all(
    Array.from({ length: WRITERS }, (_, index) => write(program, [file, `dev-${index}`])),
  );
  expect([...got.flat()].sort()).toEqual(
    Array.from({ length: TASKS }, (_, index) => `task-${index}`).sort(),
  );

  const events = await store.events("r1", 0, 1_000);
  const verifier = createLogVerifier({
    order: coordinatorOrder,
    catalogue: createCatalogue({ mode: "strict" }),
  });
  expect(events.flatMap((event) => verifier.line(formatEventLine(event)))).toEqual([]);
  expect(events.map(({ event_type }) => event_type)).toEqual([
    "session_start",
    ...Array.from({ length: TASKS }, () => "developer_dispatched"),
  ]);
  await run.close();
  await store.close();
});
