import { Pool, types as parsers, type CustomTypesConfig, type PoolClient } from "pg";
import {
  NotConnected,
  failureOf,
  isLost,
  isRace,
  isUnknown,
  openingFailure,
  unknownOutcome,
} from "./failures.ts";
import { Connection } from "./connection.ts";
import { settingsOf, type PostgresStoreOptions, type Settings } from "./options.ts";

/** Sends one statement. `{schema}` in it stands for the store's schema. Values are parameters and never part of the statement's text. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

const INT8 = 20;
const types = {
  getTypeParser: (oid: number, format?: "text") =>
    oid === INT8 ? Number : (parsers.getTypeParser(oid, format) as (text: string) => unknown),
} as CustomTypesConfig;

/** The connections of one store. They connect at the first statement. */
export class Database {
  readonly settings: Settings;
  /** Sends one statement once and throws any error. For statements whose loss does no harm. */
  readonly once: Query;
  readonly #writing: Connection;
  readonly #pool: Pool;
  /** The statements of `write` with the name of the schema, because they are sent often. */
  readonly #texts = new Map<string, string>();

  constructor(settings: Settings) {
    const { url, schema, connections, connect_timeout_ms, statement_timeout_ms } = settings;
    const common = {
      ...{ connectionString: url, types, keepAlive: true },
      ...{ fallback_application_name: `bylaw ${schema}` },
      ...{ connectionTimeoutMillis: connect_timeout_ms, query_timeout: statement_timeout_ms },
    };
    this.settings = settings;
    this.#writing = new Connection(common, { prepare: settings.prepared_statements });
    this.#pool = new Pool({ ...common, max: connections - 1 });
    // An idle connection that is lost is not an error. A lost connection in use is reported by its statement.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
    this.once = this.#queryOn(this.#pool);
  }

  /** Sends one statement once, on the connection that only commits use. The caller decides what to do when the connection is lost. */
  readonly write: Query = async <Row>(text: string, values: readonly unknown[] = []) => {
    const sent = this.#texts.get(text) ?? this.#inSchema(text);
    this.#texts.set(text, sent);
    return (await this.#writing.send(sent, values)) as readonly Row[];
  };

  /** Sends a statement that may run twice. Repeats it until it is answered or `retry_ms` has passed. */
  readonly query: Query = <Row>(text: string, values?: readonly unknown[]) =>
    this.#again(() => this.once<Row>(text, values));

  /** Runs several statements in one transaction, once. */
  async transactionOnce<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new NotConnected(error);
    });
    let committing = false;
    try {
      await client.query(begin(this.settings));
      const result = await work(this.#queryOn(client));
      committing = true;
      await client.query("commit");
      client.release();
      return result;
    } catch (error) {
      await client.query("rollback").then(
        () => client.release(),
        (lost: Error) => client.release(lost),
      );
      // A transaction whose commit was not sent is rolled back when its connection ends.
      throw committing && isLost(error) ? unknownOutcome(this.settings.target) : error;
    }
  }

  /**
   * Runs several statements in one transaction. Repeats it as a whole when it certainly was not committed; with `repeatable`, in any case.
   * Throws BYLAW_STORE_UNKNOWN_OUTCOME if the connection is lost before the answer to the commit.
   */
  transaction<T>(
    work: (query: Query) => Promise<T>,
    options?: { readonly repeatable?: boolean },
  ): Promise<T> {
    return this.#again(() => this.transactionOnce(work), options);
  }

  /** Resolves when every connection has ended. */
  async end(): Promise<void> {
    await Promise.all([this.#writing.end(), this.#pool.end()]);
  }

  #queryOn(client: Pool | PoolClient): Query {
    return async <Row>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(this.#inSchema(text), [...values]);
      return rows as readonly Row[];
    };
  }

  #inSchema(text: string): string {
    return text.replaceAll("{schema}", `"${this.settings.schema}"`);
  }

  async #again<T>(work: () => Promise<T>, { repeatable = false } = {}): Promise<T> {
    const { retry_ms, target } = this.settings;
    const until = Date.now() + retry_ms;
    for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
      try {
        return await work();
      } catch (error) {
        const tried = isLost(error) || isRace(error) || (repeatable && isUnknown(error));
        if (!tried || Date.now() + wait > until) throw failureOf(error, target);
        await pause(wait);
      }
    }
  }
}

// `set local`, because a pooler may give the connection to another program afterwards. A transaction that stands still loses its
// connection before those who wait for its rows time out.
const begin = ({ lock_timeout_ms, statement_timeout_ms }: Settings): string =>
  `begin isolation level read committed; set local lock_timeout = ${lock_timeout_ms};
    set local statement_timeout = ${statement_timeout_ms}; set local idle_in_transaction_session_timeout = ${Math.ceil(lock_timeout_ms / 2)}`;

/**
 * Connects to the database at a URL and prepares it. Every failure of the first connection, TLS and password included, gets one code.
 */
export async function openDatabase(
  url: string,
  options: PostgresStoreOptions,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  const database = new Database(settingsOf(url, options));
  try {
    await prepare(database);
    return database;
  } catch (error) {
    await database.end();
    throw openingFailure(error, database.settings.target);
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
