/** A child process that works on a store, for tests that kill or stop it. Prints one JSON line for each acknowledged write. */
import { BylawError } from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import { openPostgresStore } from "../src/index.ts";

const [mode, url = "", schema = "", name = "", count = "0"] = process.argv.slice(2);
const store = await openPostgresStore(url, {
  schema,
  connections: 3,
  retry_ms: 20_000,
  lock_timeout_ms: mode === "hold" ? 600 : 5_000,
});
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const draft = (
  event_type: string,
  task_id: string | null,
  details: { readonly [key: string]: string | number },
) => ({
  ...{ timestamp: "2026-01-02T03:04:05.000Z", session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01" },
  ...{ event_type, agent_id: name, task_id, details },
});

if (mode === "append") {
  // Four at a time, so that batches form. They write to runs that all processes share, and to one of their own.
  const writer = async (lane: number): Promise<void> => {
    for (let n = 1; n <= Number(count); n += 1) {
      const run = n % 3 === 0 ? `own-${name}` : `shared-${n % 2}`;
      const { events } = await store.commit({
        run,
        seen: 0,
        events: [draft("note", null, { lane, n })],
        ...(n % 4 === 0 ? { admit() {} } : {}),
      });
      say({ run, sequence: events[0]?.sequence, hash: events[0]?.hash });
    }
  };
  await Promise.all([1, 2, 3, 4].map(writer));
} else if (mode === "claim") {
  const claim = await store.claim({
    queue: "q",
    agent: name,
    lease_ms: 300,
    event: ({ task }) => draft("task_claimed", task, {}),
  });
  say({ claimed: claim?.task, fence: claim?.fence });
  await new Promise((resolve) => process.stdin.once("data", resolve));
  if (claim !== undefined) {
    const task = { id: claim.task, fence: claim.fence, set: { state: "done" } } as const;
    await store
      .commit({ run: claim.run, seen: 0, events: [draft("task_done", claim.task, {})], task })
      .then(
        () => say({ outcome: "written" }),
        (error: unknown) =>
          say({
            outcome:
              error instanceof StoreConflict
                ? error.what
                : error instanceof BylawError
                  ? error.code
                  : String(error),
          }),
      );
  }
} else if (mode === "hold") {
  // Takes a task and never records it. The task must become available again when this process stops.
  await store
    .claim({
      ...{ queue: "q", agent: name, lease_ms: 60_000 },
      event() {
        say({ held: true });
        process.kill(process.pid, "SIGSTOP");
        throw new Error("went on");
      },
    })
    .catch(() => {});
}
await store.close();
process.exit(0);
