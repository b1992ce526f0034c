import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { BylawError } from "@bylaw/kernel";

/** The largest size of a key file in bytes. */
const LARGEST = 65_536;

/** Reads the bytes of a file that holds a secret. Throws BYLAW_KEY_EXPOSED if other users could have read it, and BYLAW_KEY_INVALID. */
export function readKeyFile(file: string): Uint8Array {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unusableKey(
      file,
      `a file that can be read (${(error as NodeJS.ErrnoException).code ?? "failed"})`,
    );
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size === 0 || stats.size > LARGEST)
      throw unusableKey(file, "a file with a key");
    // On Windows, the file mode does not show who may read a file.
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
      throw new BylawError({
        code: "BYLAW_KEY_EXPOSED",
        message: `The key file has mode ${(stats.mode & 0o777).toString(8).padStart(4, "0")}, so others can read it`,
        fix: "Run `chmod 600` on it, and make a new key if others could have read this one",
        source: { file },
      });
    }
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The error for an unusable key file. Never repeats its content. */
export const unusableKey = (file: string, wanted: string): BylawError =>
  new BylawError({
    code: "BYLAW_KEY_INVALID",
    message: `The key file must be ${wanted}`,
    fix: "`openssl genpkey -algorithm ed25519` makes a key for signatures; 32 random bytes are one for digests",
    source: { file },
  });
