import { BylawError } from "@bylaw/kernel";

/** Loads a package that a host installs only for one driver. Throws BYLAW_DRIVER_UNAVAILABLE if it is missing. */
export async function loadPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause;
    throw new BylawError({
      code: "BYLAW_DRIVER_UNAVAILABLE",
      message: `The package \`${name}\` is not installed beside @bylaw/runner`,
      fix: `Run \`npm install ${name}\``,
      cause,
    });
  }
}

// The missing package may also be a dependency of this one.
const isMissing = (cause: unknown, name: string): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  cause.code === "ERR_MODULE_NOT_FOUND" &&
  cause.message.includes(`'${name}'`);
