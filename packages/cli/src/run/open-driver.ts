import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { omitUndefined } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { createEmbeddedDriver, type Driver } from "@bylaw/runner";
import { quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";
import { serverOf, type StorePlace } from "../log/open-store.ts";
import type { DriverName } from "./run-options.ts";

/** A unique name for a worker that shows where it runs. */
export const workerName = (): string =>
  `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`.slice(-200);

/**
 * Opens a driver over a store. `serves`: whether this process also receives its wake-ups. Throws the driver's errors, and
 * BYLAW_USAGE_INVALID.
 */
export async function openDriver(
  name: DriverName,
  {
    place,
    store,
    serves,
    onError,
  }: { place: StorePlace; store: Store; serves: boolean; onError: (error: unknown) => void },
): Promise<Driver> {
  switch (name) {
    case "embedded":
      return createEmbeddedDriver({ store, onError });
    case "dbos": {
      if (place.engine !== "postgres")
        throw usageError(
          "`--driver dbos` needs a store in PostgreSQL",
          "Name one with `--store postgres://…`",
        );
      const { openDbosDriver } = await import("@bylaw/runner/dbos");
      const [url] = serverOf(place);
      return openDbosDriver({ store, url, onError });
    }
    case "restate":
      return openRestate(serves, onError);
  }
}

async function openRestate(serves: boolean, onError: (error: unknown) => void): Promise<Driver> {
  const { openRestateDriver } = await import("@bylaw/runner/restate");
  const setting = (variable: string): string | undefined => {
    const value = process.env[variable];
    return value === "" ? undefined : value;
  };
  const token = setting("BYLAW_RESTATE_TOKEN");
  const admin = setting("BYLAW_RESTATE_ADMIN");
  const listen = setting("BYLAW_RESTATE_LISTEN") ?? "127.0.0.1:9080";
  const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d{1,5})$/.exec(listen) ?? [];
  if (port === undefined)
    throw usageError(`BYLAW_RESTATE_LISTEN must be \`host:port\`, not ${quote(listen)}`);
  return openRestateDriver({
    ingress: setting("BYLAW_RESTATE_URL") ?? "http://127.0.0.1:8080",
    onError,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(serves
      ? {
          listen: { host, port: Number(port) },
          ...omitUndefined({ admin, address: setting("BYLAW_RESTATE_ADDRESS") }),
        }
      : {}),
    ...omitUndefined({ identity_keys: setting("BYLAW_RESTATE_KEYS")?.split(",") }),
  });
}
