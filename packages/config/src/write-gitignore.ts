import { writeFileSync } from "node:fs";
import { join } from "node:path";

// Each record by its name, because people keep rules and templates in the same folder. The .gitignore itself too: otherwise it
// would be an uncommitted file in everybody's next commit.
const RECORDS = [
  ".gitignore",
  "*.secret",
  "store.db*",
  "*.db",
  "*.db-*",
  "/*.jsonl*",
  "logs/",
  "memory/",
  "runs/",
  "tmp/",
];

/**
 * Makes git ignore the files that Bylaw writes into a folder: stores, logs, secrets and other records of runs. Does nothing if the
 * folder already has a .gitignore. Returns the file that it wrote. Throws the file system's errors.
 */
export function writeGitignore(folder: string): string | undefined {
  const file = join(folder, ".gitignore");
  try {
    writeFileSync(file, `${RECORDS.join("\n")}\n`, { flag: "wx" });
    return file;
  } catch (error) {
    // The file existed already, or another process just created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return undefined;
  }
}
