import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { atEndOfTurn, endOfTurn } from "../src/http/turn.ts";

it("works in one go, in the order of asking, when the turn has read all that came", async () => {
  const done: string[] = [];
  for (const name of ["first", "second"]) atEndOfTurn(() => void done.push(name));
  await Promise.resolve();
  process.nextTick(() => done.push("what came in the same turn"));
  await nextTurn();
  expect(done).toEqual(["what came in the same turn", "first", "second"]);
});

it("leaves what is asked for meanwhile to the next turn", async () => {
  const done: string[] = [];
  atEndOfTurn(() => {
    done.push("now");
    atEndOfTurn(() => void done.push("later"));
  });
  await nextTurn();
  expect(done).toEqual(["now"]);
  await nextTurn();
  expect(done).toEqual(["now", "later"]);
});

it("wakes all that wait for the end of one turn at once", async () => {
  const done: string[] = [];
  const waits = [endOfTurn().then(() => done.push("one")), endOfTurn().then(() => done.push("other"))];
  await nextTurn();
  expect(done).toEqual(["one", "other"]);
  await Promise.all(waits);
});
