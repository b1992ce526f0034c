import { describeStore } from "@bylaw/testing";
import type { Store } from "@bylaw/store";
import { describe, it } from "vitest";
import { placeOn, serverOfFile, type Place } from "./kit.ts";

const server = await serverOfFile();

/** Resolves when the database has the new time. Returns `undefined` if it has it already. */
type Tick = () => Promise<void> | undefined;

// The suite sets its clock immediately. The database gets the new time before the next call of the store.
function onClock(store: Store, tick: Tick): Store {
  const after = <Result>(ask: () => Promise<Result>): Promise<Result> => tick()?.then(ask) ?? ask();
  return {
    commit: (commit) => after(() => store.commit(commit)),
    claim: (request) => after(() => store.claim(request)),
    put: (document) => after(() => store.put(document)),
    get: (kind, id) => after(() => store.get(kind, id)),
    events: (run, from, limit) => store.events(run, from, limit),
    watch: (onHead) => store.watch(onHead),
    sweep: (event) => after(() => store.sweep(event)),
    close: () => store.close(),
  };
}

async function clockOf(place: Place, now: () => number): Promise<Tick> {
  await place.sql("create table {schema}.clock (at bigint not null)");
  await place.sql("insert into {schema}.clock values (0)");
  await place.sql(
    "create or replace function {schema}.now_ms() returns bigint language sql volatile return (select at from {schema}.clock)",
  );
  let set = 0;
  let setting: Promise<void> | undefined;
  const tick: Tick = () => {
    if (now() === set) return setting;
    set = now();
    const to = set;
    const next = (setting ?? Promise.resolve()).then(async () => {
      await place.sql("update {schema}.clock set at = $1", [to]);
      if (setting === next) setting = undefined;
    });
    return (setting = next);
  };
  await tick();
  return tick;
}

// Without a server, every test of the suite is listed as skipped.
describeStore(
  "the store in PostgreSQL",
  async ({ now }) => {
    if (server === undefined) throw new Error("There is no server");
    const place = placeOn(server);
    const first = await place.open();
    const tick = await clockOf(place, now);
    const opened = async (): Promise<Store> => onClock(await place.open(), tick);
    return { store: onClock(first, tick), reopen: opened, stop: place.end };
  },
  { describe: describe.skipIf(server === undefined), it },
);
