import { AsyncLocalStorage } from "node:async_hooks";
import { spawnSync } from "node:child_process";
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

it("works in the context of who asked, as tracing needs it", async () => {
  const trace = new AsyncLocalStorage<number>();
  const seen: unknown[] = [];
  for (const number of [1, 2, 3]) trace.run(number, () => atEndOfTurn(() => void seen.push(trace.getStore())));
  await nextTurn();
  expect(seen).toEqual([1, 2, 3]);
});

it("forgets nobody because one throws, where the process goes on", () => {
  const script = `
    import { atEndOfTurn, endOfTurn } from ${JSON.stringify(import.meta.resolve("../src/http/turn.ts"))};
    process.on("uncaughtException", ({ message }) => console.log(message));
    for (const name of ["first", "second", "third"])
      atEndOfTurn(() => {
        console.log(name);
        if (name !== "third") throw new Error("thrown by the " + name);
      });
    await endOfTurn();
    console.log("the turn ended");
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  const said = stdout.trim().split("\n");
  expect(said.filter((line) => line !== "the turn ended")).toEqual([
    ...["first", "thrown by the first", "second", "thrown by the second", "third"],
  ]);
  expect(said).toContain("the turn ended");
});

it("wakes all that wait for the end of one turn at once", async () => {
  const done: string[] = [];
  const waits = [endOfTurn().then(() => done.push("one")), endOfTurn().then(() => done.push("other"))];
  await nextTurn();
  expect(done).toEqual(["one", "other"]);
  await Promise.all(waits);
});
