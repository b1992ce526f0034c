import { mkdirSync, writeFileSync } from "node:fs";
import { ignoreRecords } from "@bylaw/config";

/** Makes the data folder. Who adds a whole project to git adds nothing of it that is the server's own. */
export function makeDataFolder(data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  ignoreRecords(data);
}

/** Writes a file for its owner alone, where there is none. */
export function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process was quicker, or it was made on an earlier start.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
