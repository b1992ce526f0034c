// Takes a lock, says so, and keeps it until it is killed.
import { writeSync } from "node:fs";
import { FileLock } from "../../src/lock.ts";

const [path = ""] = process.argv.slice(2);
const lock = new FileLock(path);
// A promise that nobody can resolve is garbage, and a lock with it that only waits for that.
setInterval(() => lock, 1_000);
await lock.hold(async () => {
  writeSync(1, "held\n");
  await new Promise(() => {});
});
