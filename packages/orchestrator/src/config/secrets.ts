import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";

/** A shared secret has at least as many characters. */
const SHORTEST = 32;

/** The text of a secret in a file that nobody else may read. Throws BYLAW_SECRET_INVALID, which never says what it is. */
export function secretIn(file: string): string {
  return fit(Buffer.from(readKeyFile(file)).toString("utf8").trim(), `in \`${file}\``);
}

/** A secret that is long enough. */
export function fit(secret: string, where: string): string {
  if (secret.length >= SHORTEST && /^[!-+\--~]+$/.test(secret)) return secret;
  throw new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message: `Unexpected secret ${where}, expected at least ${SHORTEST} visible characters without a comma`,
    fix: "`openssl rand -base64 48` makes one",
  });
}

/** The file of a secret in the data folder, which is made on the first start, readable for its owner alone. */
export function madeSecret(data: string, name: string): string {
  const file = join(data, name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomBytes(48).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process was quicker, or it was made on an earlier start.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    readFileSync(file);
  }
  return file;
}
