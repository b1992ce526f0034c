// Records in a run that is mirrored into a JSONL file, until it is killed. Prints each attempt and each acknowledgement.
import { writeSync } from "node:fs";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { RUN, mirroredKernel } from "./mirrored.ts";

const AT_ONCE = 4;

const [folder = "", name = ""] = process.argv.slice(2);
const store = await openSqliteStore(`${folder}/store.db`);
const run = await openRun(mirroredKernel(folder), { run: RUN, store, join: true });
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
let last = 0;

async function work(): Promise<void> {
  for (;;) {
    last += 1;
    const op = `${name}:${last}`;
    const count = 1 + (last % 3);
    say({ tried: op, count });
    const details = Array.from({ length: count }, (_, index) => ({
      op,
      index,
      pad: "x".repeat(last % 300),
    }));
    const events = await run.record(
      details.map((one) => ({
        event_type: "crash_op",
        agent_id: name,
        task_id: null,
        details: one,
      })),
    );
    say({ acknowledged: op, first: events[0]?.sequence, hashes: events.map(({ hash }) => hash) });
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
