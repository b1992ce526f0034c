// Writes batches one after the other, and prints the outcome of each.
import { writeSync } from "node:fs";
import { BylawError } from "@bylaw/kernel";
import { openMirror } from "../../src/mirror.ts";
import { givenLog } from "../given-log.ts";

const [path = "", durability = "", batches = "0"] = process.argv.slice(2);
const log = givenLog();
const mirror = await openMirror(log, {
  path,
  durability: durability === "strict" ? "strict" : "batched",
  flush_ms: 60_000,
  rotate: { daily: false },
  warn: () => {},
});
const none = (): never => {
  throw new Error("no view");
};
for (let batch = 1; batch <= Number(batches); batch += 1) {
  try {
    await mirror.write(log.add(3), none);
    writeSync(1, "written\n");
  } catch (error) {
    writeSync(1, `${error instanceof BylawError ? error.code : String(error)}\n`);
  }
}
await Promise.resolve(mirror.close?.()).catch(() => {});
