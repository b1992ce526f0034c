/** A worker in a child process. Dies after the events of a run that a file names, once for each. Ends when its standard input ends. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@bylaw/store";
import { createWorker } from "../../src/index.ts";
import { drivenIn, openDriver, openReader, openStore, type Place } from "./kit.ts";

interface Setup extends Place {
  readonly worker: string;
  readonly lease_ms: number;
  readonly reconcile_ms: number;
  readonly concurrency: number;
  readonly port?: number;
}

const setup = JSON.parse(process.argv[2] ?? "") as Setup;
const { folder, worker: name, lease_ms, reconcile_ms, concurrency, port } = setup;
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Dies like a machine that loses its power right after an event is recorded. One file has the events, and another those that are done. */
function dieAt(run: string, head: number): void {
  const file = join(folder, `${run}.kill`);
  if (!existsSync(file)) return;
  const done = join(folder, `${run}.killed`);
  const left = readFileSync(file, "utf8")
    .split(" ")
    .slice(existsSync(done) ? readFileSync(done, "utf8").length : 0);
  if (left[0] === undefined || head < Number(left[0])) return;
  appendFileSync(done, "x");
  process.kill(process.pid, "SIGKILL");
}

const postgres = await openStore(setup);
const store = new Proxy<Store>(postgres, {
  get(target, key) {
    const value: unknown = Reflect.get(target, key);
    if (key === "commit")
      return async (commit: Parameters<Store["commit"]>[0]) => {
        const receipt = await target.commit(commit);
        dieAt(commit.run, receipt.events.at(-1)?.sequence ?? 0);
        return receipt;
      };
    if (key === "claim")
      return async (request: Parameters<Store["claim"]>[0]) => {
        const claim = await target.claim(request);
        if (claim !== undefined) dieAt(claim.run, claim.event.sequence);
        return claim;
      };
    return typeof value === "function"
      ? (value as (...args: readonly unknown[]) => unknown).bind(target)
      : value;
  },
});
const reader = await openReader(setup);
const onError = (error: unknown): void => say({ error: String(error) });
const driver = await openDriver(setup, store, { ...(port === undefined ? {} : { port }), onError });
const templates = await drivenIn(folder);
const worker = createWorker({
  ...{ driver, store, name, lease_ms, reconcile_ms, concurrency, onError },
  runs: () => reader.runs(),
  templateOf: async (definition) => templates.get(definition),
  onEnd: (run, { outcome }) => say({ run, outcome }),
});
process.stdin.once("end", () => void worker.close()).resume();
say({ up: true });
await worker.serve();
await Promise.all([reader.close(), postgres.close()]);
say({ closed: true });
process.exit(0);
