import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EnginePlace } from "@bylaw/hook-client";

/** The keys with which client and engine prove to each other that they have access to the folder. */
export interface EngineKeys {
  readonly client: string;
  readonly engine: string;
}

/**
 * Reads the keys of a folder, and creates those that are missing. If several engines create one at once, all use the first. Throws
 * the file system's errors.
 */
export const readKeys = ({ clientKey, engineKey }: EnginePlace): EngineKeys => ({
  client: keyIn(clientKey),
  engine: keyIn(engineKey),
});

function keyIn(file: string): string {
  const draft = join(dirname(file), `${randomUUID()}.tmp`);
  writeFileSync(draft, randomBytes(32).toString("base64url"), { flag: "wx", mode: 0o600 });
  try {
    // Linked into place, so that nobody reads half a key and no existing key is replaced.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8");
}
