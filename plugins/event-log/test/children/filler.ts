// Writes events into a file until there is no room, then prints how many, and the error.
import { readFileSync, rmSync, writeSync } from "node:fs";
import { BylawError } from "@bylaw/kernel";
import { openMirror } from "../../src/mirror.ts";
import { givenLog } from "../given-log.ts";

const [path = "", ballast = ""] = process.argv.slice(2);
const log = givenLog();
const none = (): never => {
  throw new Error("no view");
};
const mirror = await openMirror(log, {
  path,
  durability: "strict",
  flush_ms: 100,
  rotate: { daily: false },
  warn: () => {},
});
const codes: string[] = [];
let acknowledged = 0;
for (let round = 0; round < 400 && codes.length < 3; round += 1) {
  const events = log.add([{ text: "x".repeat(1_000) }]);
  try {
    await mirror.write(events, none);
    acknowledged = events.at(-1)?.sequence ?? 0;
  } catch (error) {
    codes.push(
      error instanceof BylawError
        ? `${error.code} ${/\(\w+\)/.exec(error.message)?.[0]}`
        : String(error),
    );
  }
}
const full = readFileSync(path, "utf8");
let after = "";
if (ballast !== "") {
  // Frees some room.
  rmSync(ballast);
  await mirror.write(log.add(), none);
  after = readFileSync(path, "utf8");
}
writeSync(
  1,
  JSON.stringify({
    codes,
    acknowledged,
    all: log.all.length,
    full: full.split("\n"),
    after: after.split("\n"),
  }),
);
