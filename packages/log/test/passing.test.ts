import { getHeapSpaceStatistics } from "node:v8";
import { expect, it, test } from "vitest";
import { Passing } from "../src/passing.ts";
import { Underway } from "../src/underway.ts";

/** Bytes of what the collector takes for old. */
const old = (): number => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? Number.NaN;

const KILOBYTE = (): readonly number[] => Array.from({ length: 128 }, () => 0.5);
let waste: unknown;
/** As much as makes the collector take for old what is still held. */
function age(): void {
  for (let left = 200_000; left > 0; left -= 1) waste = KILOBYTE();
}

test("what has passed is not held by what comes after it", () => {
  const held = new Passing<unknown>();
  held.set("one that stays", "for the whole time");
  age();
  const before = old();
  // 32 MiB in all: a Map in its place held most of that, until all memory was looked through.
  for (let round = 0; round < 512; round += 1) {
    for (let at = 0; at < 64; at += 1) held.set(`${round} ${at}`, KILOBYTE());
    for (let at = 0; at < 64; at += 1) held.delete(`${round} ${at}`);
  }
  age();
  expect((old() - before) / 1_048_576).toBeLessThan(8);
  expect([held.get("one that stays"), held.get("511 63"), waste !== undefined]).toEqual(["for the whole time", undefined, true]);
});

it("takes any name for one like others", () => {
  const held = new Passing<number>();
  for (const name of ["__proto__", "constructor", "toString", "", "0"]) {
    expect(held.get(name)).toBeUndefined();
    held.set(name, 1);
    expect(held.get(name)).toBe(1);
    held.delete(name);
    expect(held.get(name)).toBeUndefined();
  }
});

it("tells everybody who waits when nothing is under way, and at once where nothing is", async () => {
  const underway = new Underway();
  await underway.over();
  underway.begin();
  underway.begin();
  const told: string[] = [];
  const waiting = ["one", "another"].map((name) => underway.over().then(() => void told.push(name)));
  underway.end();
  await Promise.resolve();
  expect([underway.none, told]).toEqual([false, []]);
  underway.end();
  await Promise.all(waiting);
  expect([underway.none, told]).toEqual([true, ["one", "another"]]);
});
