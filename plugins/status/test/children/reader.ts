// Reads a status again and again until its input ends, then prints how often it was complete, and each incomplete text.
import { readFileSync, writeSync } from "node:fs";
import { readStatus } from "../../src/index.ts";

const [path = ""] = process.argv.slice(2);
const faults: string[] = [];
let missing = 0;
let whole = 0;
const input = { ended: false };
let said = false;
process.stdin.on("end", () => (input.ended = true)).resume();
while (!input.ended) {
  for (let round = 0; round < 20; round += 1) {
    try {
      readStatus(readFileSync(path, "utf8"));
      whole += 1;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") missing += 1;
      else faults.push(String(error));
    }
  }
  if (whole > 0 && !said) {
    said = true;
    writeSync(1, "reading\n");
  }
  await new Promise(setImmediate);
}
writeSync(1, `${JSON.stringify({ whole, missing, faults: faults.slice(0, 3) })}\n`);
