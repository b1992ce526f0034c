// Takes a lock, says so, and keeps it until it is killed.
import { writeSync } from "node:fs";
import { FileLock } from "../../src/lock.ts";

const [path = ""] = process.argv.slice(2);
const lock = new FileLock(path);
// A pending promise does not keep the process alive, so the interval keeps both process and lock.
setInterval(() => lock, 1_000);
await lock.hold(async () => {
  writeSync(1, "held\n");
  await new Promise(() => {});
});
