import { lstatSync, readlinkSync, statSync, type BigIntStats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realOf } from "./server-files.ts";

/** Reads what paths lead to, each only once. It is for a single call, because files change. */
export class PathReader {
  readonly #entries = new Map<string, BigIntStats | undefined>();
  readonly #targets = new Map<string, BigIntStats | undefined>();
  readonly #reals = new Map<string, string>();

  /** The device and inode of a path. `undefined` if it is missing or this process may not access it. */
  identityOf(path: string): string | undefined {
    const stat = this.#target(path);
    return stat && `${stat.dev}:${stat.ino}`;
  }

  exists(path: string): boolean {
    return this.#target(path) !== undefined;
  }

  /** How many names a file has, 0 if it is missing. */
  namesOf(path: string): number {
    return Number(this.#target(path)?.nlink ?? 0);
  }

  /** Where a symbolic link leads. `undefined` for anything else. */
  linkAt(path: string): string | undefined {
    if (!this.isLink(path)) return undefined;
    try {
      return readlinkSync(path);
    } catch {
      return undefined;
    }
  }

  isLink(path: string): boolean {
    return this.#entry(path)?.isSymbolicLink() === true;
  }

  /** The real path of something that may not exist yet. */
  realOf(path: string): string {
    return remember(this.#reals, path, () => {
      const above = dirname(path);
      if (this.exists(path) || above === path) return realOf(path);
      return join(this.realOf(above), basename(path));
    });
  }

  #entry(path: string): BigIntStats | undefined {
    return remember(this.#entries, path, () => statOf(path, lstatSync));
  }

  #target(path: string): BigIntStats | undefined {
    if (!this.isLink(path)) return this.#entry(path);
    return remember(this.#targets, path, () => statOf(path, statSync));
  }
}

function remember<T>(known: Map<string, T>, path: string, read: () => T): T {
  const found = known.get(path);
  if (found !== undefined || known.has(path)) return found as T;
  const value = read();
  known.set(path, value);
  return value;
}

function statOf(path: string, stat: typeof lstatSync): BigIntStats | undefined {
  try {
    return stat(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
