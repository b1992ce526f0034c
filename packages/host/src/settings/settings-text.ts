import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { BylawError, messageOf } from "@bylaw/kernel";

const LIMIT_BYTES = 4 * 1_048_576;

/** Reads a settings file. Undefined if it does not exist. Throws BYLAW_HOST_FILE_INVALID if it cannot be read. */
export function readSettings(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (!stats.isFile() || stats.size > LIMIT_BYTES)
      throw new Error("it is not a regular file, or has more than 4 MiB");
    return readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw new BylawError({
      code: "BYLAW_HOST_FILE_INVALID",
      message: `Cannot read ${file}: ${messageOf(cause)}`,
      source: { file },
      cause,
    });
  }
}

/** Writes a settings file in one step. Follows a symbolic link and keeps the mode. Throws BYLAW_HOST_FILE_UNWRITABLE. */
export function writeSettings(file: string, text: string, mode = 0o600): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const existing = statSync(file, { throwIfNoEntry: false });
    const target = existing === undefined ? file : realpathSync(file);
    const draft = `${target}.${randomUUID()}.tmp`;
    try {
      writeFileSync(draft, text, { flag: "wx", mode });
      if (existing !== undefined) chmodSync(draft, existing.mode & 0o777);
      renameSync(draft, target);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_HOST_FILE_UNWRITABLE",
      message: `Cannot write ${file}: ${messageOf(cause)}`,
      fix: "Check that you may write there. `--managed` needs an administrator.",
      source: { file },
      cause,
    });
  }
}
