import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EnginePlace } from "@bylaw/hook-client";

/** The keys with which client and engine prove to each other that they may use the folder. */
export interface EngineKeys {
  readonly client: string;
  readonly engine: string;
}

/** The keys of a folder, made where there are none. The first engine to make them wins. Throws what the file system throws. */
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
