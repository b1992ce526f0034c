import { describeStore } from "@bylaw/testing";
import type { Store } from "@bylaw/kernel";
import { describe, it } from "vitest";
import { placeOn, serverOfFile, type Place } from "./kit.ts";

const server = await serverOfFile();

// The suite moves its clock at once; the database learns of it before whatever the store is asked next.
function onClock(store: Store, tick: () => Promise<void>): Store {
  const after = <Given extends readonly unknown[], Result>(method: (...given: Given) => Promise<Result>) => {
    return async (...given: Given): Promise<Result> => {
      await tick();
      return method(...given);
    };
  };
  return {
    commit: after(store.commit),
    claim: after(store.claim),
    get: after(store.get),
    events: store.events,
    watch: store.watch,
    sweep: after(store.sweep),
    close: store.close,
  };
}

async function clockOf(place: Place, now: () => number): Promise<() => Promise<void>> {
  await place.sql("create table {schema}.clock (at bigint not null)");
  await place.sql("insert into {schema}.clock values (0)");
  await place.sql(
    "create or replace function {schema}.now_ms() returns bigint language sql volatile return (select at from {schema}.clock)",
  );
  let set = 0;
  let setting = Promise.resolve();
  return () => {
    if (now() === set) return setting;
    set = now();
    const to = set;
    return (setting = setting.then(async () => void (await place.sql("update {schema}.clock set at = $1", [to]))));
  };
}

if (server === undefined) {
  describe.skip("the store in PostgreSQL, without a server", () => it("is held to the contract", () => {}));
} else {
  describeStore(
    "the store in PostgreSQL",
    async ({ now }) => {
      const place = placeOn(server);
      const first = await place.open();
      const tick = await clockOf(place, now);
      const opened = async (): Promise<Store> => onClock(await place.open(), tick);
      return { store: onClock(first, tick), reopen: opened, stop: place.end };
    },
    { describe, it },
  );
}
