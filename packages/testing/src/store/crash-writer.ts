// A writer of `crashStore` in a child process. Prints what it tries and what was acknowledged, until it is killed.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreConflict, type Store } from "@bylaw/store";
import {
  CLAIMS,
  openStore,
  type Acknowledged,
  type StoreModule,
  type Tried,
} from "./crash-lines.ts";
import { draft, take, upTo } from "./kit.ts";

const AT_ONCE = 4;
const ATTEMPTS = 400;
const MINUTES = 60_000;

const [description = "", name = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(description) as StoreModule);
let last = 0;

const say = (line: Tried | Acknowledged): void => void writeSync(1, `${JSON.stringify(line)}\n`);

// A failed write may have been made, so it is retried under its request id.
async function persist<T>(work: (store: Store) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(store);
    } catch (error) {
      if (error instanceof StoreConflict || attempt === ATTEMPTS) throw error;
    }
    await sleep(25);
  }
}

async function commit(number: number): Promise<void> {
  const op = `${name}:${number}`;
  const count = 1 + (number % 3);
  const run = number % 2 === 0 ? `shared-${number % 4}` : `own-${name.split("-")[1] ?? ""}`;
  say({ tried: op, run, count });
  const events = upTo(count).map((index) =>
    draft({ event_type: "crash_op", details: { op, index, pad: "x".repeat(number % 200) } }),
  );
  const documents = [{ kind: "crash_op", id: op, value: op, if_version: 0 }];
  const receipt = await persist((open) =>
    open.commit({ run, seen: Number.MAX_SAFE_INTEGER, events, documents, request_id: op }),
  );
  const { sequence: first = 0 } = receipt.events[0] ?? {};
  say({ acknowledged: op, run, first, hashes: receipt.events.map(({ hash = "" }) => hash) });
}

async function claim(number: number): Promise<void> {
  const request_id = `${name}:${number}`;
  const given = await persist((open) =>
    take(open, name, { queue: CLAIMS, lease_ms: 60 * MINUTES, request_id }),
  );
  if (given === undefined) return;
  say({
    claimed: given.task,
    run: given.run,
    first: given.event.sequence,
    hashes: [given.event.hash ?? ""],
  });
}

async function work(): Promise<void> {
  for (;;) {
    last += 1;
    await (last % 5 === 0 ? claim(last) : commit(last));
  }
}

await Promise.all(upTo(AT_ONCE).map(work));
