// Writes to a run together with other processes, and prints every event that was acknowledged.
import { writeSync } from "node:fs";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { eventLog } from "@bylaw/plugin-event-log";
import { openSqliteStore } from "@bylaw/store-sqlite";

interface Task {
  readonly folder: string;
  readonly id: string;
  /** How many events to record, one after the other. */
  readonly count: number;
  readonly rotate: { readonly bytes?: number };
}

const { folder, id, count, rotate } = JSON.parse(process.argv[2] ?? "") as Task;
const store = await openSqliteStore(`${folder}/store.db`, { busy_ms: 120_000 });
const plugins = [eventLog({ file: `${folder}/{run}.jsonl`, rotate })];
const run = await openRun(createKernel({ plugins, deadline_ms: 120_000 }), {
  run: "crash",
  store,
  join: true,
});
for (let number = 1; number <= count; number += 1) {
  const call = `${id}-${number}`;
  const [event] = await run.toolResult({
    id: call,
    tool: "write",
    ok: true,
    result: { text: "x".repeat((number * 37) % 400) },
  });
  writeSync(1, `${event?.sequence} ${call}\n`);
}
await run.close();
await store.close();
