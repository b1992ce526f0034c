import type Database from "better-sqlite3";
import { BylawError } from "@bylaw/kernel";

export type Connection = Database.Database;

/** In older versions, several connections can corrupt a file. */
const OLDEST_SQLITE = [3, 51, 3] as const;
const OLDEST_NODE = [22, 13, 0] as const;

/** Loads the database engine. Throws BYLAW_STORE_UNUSABLE before loading it on a Node version that its binary crashes. */
export async function loadEngine(node = process.versions.node): Promise<typeof Database> {
  if (isOlder(node, OLDEST_NODE)) throw tooOld("Node", node, OLDEST_NODE, "Update Node");
  const { default: engine } = await import("better-sqlite3");
  return engine;
}

/** Throws BYLAW_STORE_UNUSABLE for a SQLite version that can lose data. */
export function checkSqlite(version: string): void {
  if (isOlder(version, OLDEST_SQLITE))
    throw tooOld("SQLite", version, OLDEST_SQLITE, "Update better-sqlite3");
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  const first = oldest.findIndex((part, index) => parts[index] !== part);
  // An unreadable version counts as too old.
  return first >= 0 && !((parts[first] ?? Number.NaN) > (oldest[first] ?? 0));
}

function tooOld(what: string, version: string, oldest: readonly number[], fix: string): BylawError {
  const message = `${what} ${version} is too old: ${oldest.join(".")} or later is needed`;
  return new BylawError({ code: "BYLAW_STORE_UNUSABLE", message, fix });
}
