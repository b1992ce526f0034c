import { writeFileSync } from "node:fs";
import { join } from "node:path";

// Itself too: a file that nobody committed would be new in the next commit of whoever adds everything. By name, and not the whole folder:
// people keep rules and templates beside these, and code has any name.
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
 * Has git leave out what Bylaw itself writes into a folder (stores, logs, secrets, what a run leaves behind), where nobody has said anything
 * of the folder yet. Answers with the file that it wrote; throws what writing throws.
 */
export function ignoreRecords(folder: string): string | undefined {
  const file = join(folder, ".gitignore");
  try {
    writeFileSync(file, `${RECORDS.join("\n")}\n`, { flag: "wx" });
    return file;
  } catch (error) {
    // Another process was quicker, or it was made before.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return undefined;
  }
}
