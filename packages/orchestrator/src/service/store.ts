import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import type { Settings } from "../config/settings.ts";

/** Opens the store that the settings name. Throws BYLAW_STORE_UNUSABLE; no password is in what is thrown. */
export async function openStore({ store }: Pick<Settings, "store">, data: string): Promise<Store> {
  if (store !== undefined && /^postgres(?:ql)?:\/\//i.test(store)) {
    const { openPostgresStore } = await import("@bylaw/store-postgres");
    return openPostgresStore(store);
  }
  const path =
    store === undefined ? join(data, "store.db") : resolve(store.replace(/^sqlite:/, ""));
  if (path === "")
    throw new BylawError({
      code: "BYLAW_STORE_UNUSABLE",
      message: "`store` must name a file: `sqlite:PATH`",
    });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { openSqliteStore } = await import("@bylaw/store-sqlite");
  return openSqliteStore(path);
}
