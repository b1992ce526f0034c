import { statSync } from "node:fs";
import { BylawError, messageOf, type LogEvent } from "@bylaw/kernel";
import { eventJson, type StoreReader } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { didYouMean } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";
import type { LogLine } from "./log-line.ts";

/** The place of a store, from the command line. */
export interface StorePlace {
  readonly engine: "sqlite" | "postgres";
  /** A path, or a URL with its password. Must never be printed. */
  readonly target: string;
  /** The place without its password, for output. */
  readonly shown: string;
}

/** The number of events to read or write at once. */
const PAGE = 1_000;

/** Reads the value of `--store`. Throws BYLAW_USAGE_INVALID. */
export function storePlace(text: string): StorePlace {
  if (/^postgres(?:ql)?:\/\//i.test(text))
    return { engine: "postgres", target: text, shown: withoutSecrets(text) };
  const path = text.startsWith("sqlite:")
    ? text.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "")
    : text;
  if (path === "" || (path === text && !/\.(?:db|sqlite3?)$/i.test(path)) || path === ":memory:") {
    // The value may be the URL of another server, with a password, so the message does not repeat it.
    const named = text.includes("://") || text.includes("@") ? "This value" : `\`${text}\``;
    throw usageError(
      `${named} is not a store. \`--store\` takes \`sqlite:PATH\`, a path that ends in .db or .sqlite, or \`postgres://…\`.`,
      "Put `sqlite:` before a path with another ending",
    );
  }
  return { engine: "sqlite", target: path, shown: path };
}

function withoutSecrets(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "postgres://…";
  }
}

/** Runs `work` with an open store. `create`: whether to create a missing file. Errors contain no password. */
export const withStore = <T>(
  place: StorePlace,
  { create }: { readonly create: boolean },
  work: (store: Store) => Promise<T>,
): Promise<T> => withOpen(place, () => openStore(place, create), work);

/** Runs `work` with a store opened for reading. Opening creates and changes nothing. Errors contain no password. */
export const withReader = <T>(
  place: StorePlace,
  work: (store: StoreReader) => Promise<T>,
): Promise<T> => withOpen(place, () => openReader(place), work);

async function withOpen<S extends Pick<Store, "close">, T>(
  place: StorePlace,
  open: () => Promise<S>,
  work: (store: S) => Promise<T>,
): Promise<T> {
  let store: S | undefined;
  try {
    store = await open();
    return await work(store);
  } catch (error) {
    throw withoutCredentials(error, place);
  } finally {
    await store?.close().catch(() => {});
  }
}

// Loaded on demand, because each engine is large and most commands need none.
async function openStore(place: StorePlace, create: boolean): Promise<Store> {
  if (place.engine === "postgres") {
    const { openPostgresStore } = await import("@bylaw/store-postgres");
    return openPostgresStore(...serverOf(place));
  }
  // Otherwise the engine would create a store in the empty file.
  if (!create) checkFile(place);
  const { openSqliteStore } = await import("@bylaw/store-sqlite");
  return openSqliteStore(place.target);
}

async function openReader(place: StorePlace): Promise<StoreReader> {
  if (place.engine === "postgres") {
    const { openPostgresReader } = await import("@bylaw/store-postgres");
    return openPostgresReader(...serverOf(place));
  }
  checkFile(place);
  const { openSqliteReader } = await import("@bylaw/store-sqlite");
  return openSqliteReader(place.target);
}

function checkFile({ target, shown }: StorePlace): void {
  const size = statSync(target, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new BylawError({
    code: "BYLAW_STORE_UNUSABLE",
    message: size === 0 ? `${shown} is empty and holds no store` : `File not found: ${shown}`,
    fix: "Name the file that holds the runs",
    source: { file: shown },
  });
}

/** The options with which PostgreSQL is opened: the URL as drivers take it, and the schema. */
export const serverOf = ({
  target,
}: Pick<StorePlace, "target">): readonly [url: string, options: { readonly schema?: string }] => {
  const { url, schema } = schemaOf(target);
  return [url, schema === undefined ? {} : { schema }];
};

// The driver does not read the schema from the URL.
function schemaOf(target: string): { readonly url: string; readonly schema: string | undefined } {
  if (!URL.canParse(target)) return { url: target, schema: undefined };
  const url = new URL(target);
  const schema = url.searchParams.get("schema") ?? undefined;
  if (schema === undefined) return { url: target, schema };
  url.searchParams.delete("schema");
  return { url: url.href, schema };
}

// A driver's error can contain the store URL or its password.
function withoutCredentials(error: unknown, { engine, target, shown }: StorePlace): unknown {
  if (engine !== "postgres") return error;
  const secrets = [target, ...passwordsOf(target)].filter((secret) => secret !== "");
  const text = messageOf(error);
  const clean = secrets.reduce((message, secret) => message.replaceAll(secret, "…"), text);
  const coded =
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    String(error.code).startsWith("BYLAW_");
  if (coded && clean === text) return error;
  const { code, fix } = coded
    ? (error as BylawError)
    : {
        code: "BYLAW_STORE_UNUSABLE" as const,
        fix: "Check that the server is running and that the credentials are right",
      };
  return new BylawError({
    code,
    message: coded ? clean : `Cannot use the store ${shown}: ${clean}`,
    fix,
  });
}

function passwordsOf(url: string): readonly string[] {
  try {
    const { password, searchParams } = new URL(url);
    const parameters = [...searchParams]
      .filter(([name]) => /pass/i.test(name))
      .map(([, value]) => value);
    return [password, decodeURIComponent(password), ...parameters];
  } catch {
    return [];
  }
}

/** Yields the events of a run after a sequence, in order, read by read. */
export async function* eventsOf(
  store: Pick<Store, "events">,
  run: string,
  after = 0,
): AsyncGenerator<readonly LogEvent[]> {
  let head = after;
  for (;;) {
    const page = await store.events(run, head, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    head = last.sequence;
  }
}

/** Yields the events of a run as lines. Throws BYLAW_RUN_MISSING if the run has none. */
export async function* readRun(place: StorePlace, run: string): AsyncGenerator<readonly LogLine[]> {
  let store: StoreReader | undefined;
  try {
    store = await openReader(place);
    let found = false;
    for await (const events of eventsOf(store, run)) {
      found = true;
      yield events.map((event): LogLine => ({
        file: run,
        line: event.sequence,
        // Fields with wrong values are kept, so that the verifier can report them.
        text: eventJson(event),
        terminated: true,
      }));
    }
    if (!found) throw await noSuchRun(store, run);
  } catch (error) {
    throw withoutCredentials(error, place);
  } finally {
    await store?.close().catch(() => {});
  }
}

/** The error for a run that does not exist, with the nearest name as the fix. */
export async function noSuchRun(store: StoreReader, run: string): Promise<BylawError> {
  const runs = await store.runs();
  const near = didYouMean(
    run,
    runs.map(({ run: name }) => name),
  );
  return new BylawError({
    code: "BYLAW_RUN_MISSING",
    message: `No run named \`${run}\` in this store`,
    fix:
      near ??
      (runs.length === 0
        ? "the store holds no runs; name another store"
        : "list the runs of the store with `bylaw log runs`"),
  });
}
