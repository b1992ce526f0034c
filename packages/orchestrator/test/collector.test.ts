import { mkdtempSync, rmSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PerformanceObserver, constants } from "node:perf_hooks";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASE } from "../src/http/app.ts";
import { direct, type Answer } from "../src/http/direct.ts";
import { ROUTES } from "../src/routes/index.ts";
import { serve, type Agent, type Served } from "./kit.ts";

const folder = mkdtempSync(join(tmpdir(), "bylaw-collector-"));
let at: Served;
let agents: readonly Agent[];
let answers: ReadonlyMap<string, Answer>;

interface How {
  readonly record: boolean;
  /** Without the framework, as over a socket. */
  readonly directly: boolean;
}

beforeAll(async () => {
  const store = await openSqliteStore(join(folder, "store.db"));
  at = await serve({ store, settings: { limits: { agent_per_second: 0 }, tasks: { per_agent: 0 } } });
  answers = direct(BASE, ROUTES, at.service);
  agents = await Promise.all(Array.from({ length: 16 }, (_, one) => at.agent(`agent-${one}`)));
});
afterAll(async () => {
  await at.close();
  await at.store.close();
  rmSync(folder, { recursive: true });
});

/** Bytes that the collector takes for old. */
const old = (): number => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? Number.NaN;

/** One request as Node hands it over, without a socket. */
async function ask({ auth, task }: Agent, { record, directly }: How): Promise<void> {
  const incoming = new IncomingMessage(new Socket());
  Object.assign(incoming, {
    method: "POST",
    url: "/api/v1/tools/check",
    headers: { authorization: auth, "content-type": "application/json" },
  });
  const body = JSON.stringify({ task_id: task, tool_name: "note", args: { path: "src/a.ts" }, record });
  const outgoing = new ServerResponse(incoming);
  const headers = { authorization: auth, "content-type": "application/json" };
  incoming.push(body);
  incoming.push(null);
  if (directly) answers.get("/api/v1/tools/check")?.(incoming, outgoing, performance.now());
  else await at.app.fetch(new Request("http://127.0.0.1/api/v1/tools/check", { method: "POST", headers }), { incoming, outgoing });
  while (!outgoing.writableEnded) await turnOfLoop();
  expect(outgoing.statusCode).toBe(200);
}

async function round(calls: number, how: How): Promise<void> {
  for (let left = calls; left > 0; left -= agents.length) await Promise.all(agents.map((agent) => ask(agent, how)));
}

let collected = 0;
const observer = new PerformanceObserver((list) => {
  // Of all memory, or the beginning of such a one.
  collected += list
    .getEntries()
    .filter((entry) => (entry as unknown as { detail: { kind: number } }).detail.kind !== constants.NODE_PERFORMANCE_GC_MINOR).length;
});

/** Bytes of each call that are taken for old in a round in which not all memory is collected, which would make it less. */
async function grown(how: How): Promise<number> {
  for (;;) {
    const [before, began] = [collected, old()];
    await round(3_200, how);
    const bytes = (old() - began) / 3_200;
    await turnOfLoop();
    if (collected === before) return bytes;
  }
}

// Maps that stay and objects with getters of their own once made it 1,900 and 2,800, and to remember 256 events of a run 1,500. What is known
// of the last calls is here too.
test.each([
  [{ record: false, directly: true }, 1_000],
  [{ record: false, directly: false }, 1_000],
  [{ record: true, directly: true }, 1_100],
])("what belongs to a call ends with it: %o", async (how, most) => {
  observer.observe({ entryTypes: ["gc"] });
  // What stays is old by then, and what is compiled once is compiled.
  await round(4_000, how);
  const bytes: number[] = [];
  // What is compiled late, and what another thread does meanwhile, makes it more now and then; what is held is held each time.
  while (bytes.length < 6 && !bytes.some((one) => one < most)) bytes.push(await grown(how));
  observer.disconnect();
  expect(Math.min(...bytes)).toBeLessThan(most);
});
