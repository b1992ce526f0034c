import { DatabaseError, Pool, types as parsers, type CustomTypesConfig, type PoolClient } from "pg";
import {
  NotConnected,
  failureOf,
  isLost,
  isRace,
  isUnknown,
  openingFailure,
  unknownOutcome,
} from "./failures.ts";
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
  readonly #pool: Pool;

  constructor(settings: Settings) {
    const { url, schema, connections, connect_timeout_ms, statement_timeout_ms } = settings;
    this.settings = settings;
    this.#pool = new Pool({
      ...{ connectionString: url, types, keepAlive: true, max: connections },
      ...{ fallback_application_name: `bylaw ${schema}`, pipeline: true },
      ...{ connectionTimeoutMillis: connect_timeout_ms, query_timeout: statement_timeout_ms },
    });
    // An idle connection that is lost is not an error. A lost connection in use is reported by its statement.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
    this.once = this.#queryOn(this.#pool);
  }

  /** Sends a statement that may run twice. Repeats it until it is answered or `retry_ms` has passed. */
  readonly query: Query = <Row>(text: string, values?: readonly unknown[]) =>
    this.#again(() => this.once<Row>(text, values));

  /**
   * Runs several statements in one transaction, once. Statements that `work` does not wait for are sent together with the commit. Throws
   * BYLAW_STORE_UNKNOWN_OUTCOME if the connection is lost before the answer to the commit.
   */
  async transactionOnce<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new NotConnected(error);
    });
    const sent: Promise<unknown>[] = [];
    const send = <Sent>(statement: Promise<Sent>): Promise<Sent> => {
      sent.push(statement);
      // Its error is looked for below.
      statement.catch(() => {});
      return statement;
    };
    const query = this.#queryOn(client);
    let committing = false;
    try {
      void send(client.query(begin(this.settings)));
      const result = await work((text, values) => send(query(text, values)));
      committing = true;
      await Promise.all([...sent, client.query("commit")]);
      client.release();
      return result;
    } catch (thrown) {
      const settled = await Promise.allSettled(sent);
      const failed = settled.find((one) => one.status === "rejected");
      // After the first error, the server refuses all other statements without saying why.
      const error: unknown = failed?.reason ?? thrown;
      await client.query("rollback").then(
        () => client.release(),
        (lost: Error) => client.release(lost),
      );
      // The server rolls back a transaction when one of its statements fails, or its connection ends before the commit.
      const certain = !committing || failed?.reason instanceof DatabaseError;
      throw !certain && isLost(error) ? unknownOutcome(this.settings.target) : error;
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
    await this.#pool.end();
  }

  #queryOn(client: Pool | PoolClient): Query {
    return async <Row>(text: string, values: readonly unknown[] = []) => {
      const sent = text.replaceAll("{schema}", `"${this.settings.schema}"`);
      const { rows } = await client.query(sent, [...values]);
      return rows as readonly Row[];
    };
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
