// Records events in a run that several processes write, and prints each acknowledged event.
import { writeSync } from "node:fs";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { eventLog } from "../../src/index.ts";

interface Task {
  readonly store: string;
  readonly id: string;
  readonly count: number;
  readonly options: Parameters<typeof eventLog>[0];
}

const { store: file, id, count, options } = JSON.parse(process.argv[2] ?? "") as Task;
const store = await openSqliteStore(file, { busy_ms: 60_000 });
const run = await openRun(createKernel({ plugins: [eventLog(options)], deadline_ms: 60_000 }), {
  run: "shared",
  store,
  join: true,
});
writeSync(1, "open\n");
for (let number = 1; number <= count; number += 1) {
  const [event] = await run.toolResult({
    id: `${id}-${number}`,
    tool: "write",
    ok: true,
    result: { text: "x".repeat(number % 300) },
  });
  writeSync(1, `${event?.sequence} ${id}-${number}\n`);
}
await run.close();
await store.close();
writeSync(1, "done\n");
