// Takes a lock, says so, and keeps it until it is killed.
import { writeSync } from "node:fs";
import { openLock } from "../../src/lock.ts";

const [path = ""] = process.argv.slice(2);
await openLock(path).hold(async () => {
  writeSync(1, "held\n");
  setInterval(() => {}, 1_000);
  await new Promise(() => {});
});
