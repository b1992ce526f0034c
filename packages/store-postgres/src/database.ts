import { Pool, types as parsers, type CustomTypesConfig, type PoolClient } from "pg";
import { NotConnected, failureOf, isLost, isRace, isUnknown, unknownOutcome } from "./failures.ts";
import { Connection } from "./connection.ts";
import type { Settings } from "./options.ts";

/** Sends one statement. `{schema}` in it stands for the store's schema. Values are parameters and never part of the statement's text. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The connections of one store. */
export interface Database {
  readonly settings: Settings;
  /** Sends one statement once, on the connection that only commits use. The caller decides what to do when the connection is lost. */
  readonly write: Query;
  /** Runs several statements in one transaction, once. */
  transactionOnce<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Sends one statement once and throws any error. For statements whose loss does no harm. */
  readonly once: Query;
  /** Sends a statement that may run twice. Repeats it until it is answered or `retry_ms` has passed. */
  readonly query: Query;
  /**
   * Runs several statements in one transaction. Repeats it as a whole when it certainly was not committed; with `repeatable`, in any case.
   * Throws BYLAW_STORE_UNKNOWN_OUTCOME if the connection is lost before the answer to the commit.
   */
  transaction<T>(
    work: (query: Query) => Promise<T>,
    options?: { readonly repeatable?: boolean },
  ): Promise<T>;
  /** Resolves when every connection has ended. */
  end(): Promise<void>;
}

const INT8 = 20;
const types = {
  getTypeParser: (oid: number, format?: "text") =>
    oid === INT8 ? Number : (parsers.getTypeParser(oid, format) as (text: string) => unknown),
} as CustomTypesConfig;

/** Creates the connections of one store. They connect at the first statement. */
export function createDatabase(settings: Settings): Database {
  const {
    url,
    target,
    schema,
    connections,
    connect_timeout_ms,
    lock_timeout_ms,
    statement_timeout_ms,
    retry_ms,
    prepared_statements,
  } = settings;
  const common = {
    ...{
      connectionString: url,
      types,
      keepAlive: true,
      fallback_application_name: `bylaw ${schema}`,
    },
    ...{ connectionTimeoutMillis: connect_timeout_ms, query_timeout: statement_timeout_ms },
  };
  const writing = new Connection(common, { prepare: prepared_statements });
  const pool = new Pool({ ...common, max: connections - 1 });
  // An idle connection that is lost is not an error. A lost connection in use is reported by its statement.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  const texts = new Map<string, string>();
  const inSchema = (text: string): string => text.replaceAll("{schema}", `"${schema}"`);
  function known(text: string): string {
    const sent = texts.get(text) ?? inSchema(text);
    texts.set(text, sent);
    return sent;
  }
  const write: Query = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await writing.send(known(text), values)) as readonly Row[];
  const querying =
    (client: Pool | PoolClient): Query =>
    async <Row>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(inSchema(text), [...values]);
      return rows as readonly Row[];
    };

  // `set local`, because a pooler may give the connection to another program afterwards. A transaction that stands still loses its
  // connection before those who wait for its rows time out.
  const begin = `begin isolation level read committed; set local lock_timeout = ${lock_timeout_ms};
    set local statement_timeout = ${statement_timeout_ms}; set local idle_in_transaction_session_timeout = ${Math.ceil(lock_timeout_ms / 2)}`;

  async function transactionOnce<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new NotConnected(error);
    });
    let committing = false;
    try {
      await client.query(begin);
      const result = await work(querying(client));
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
      throw committing && isLost(error) ? unknownOutcome(target) : error;
    }
  }

  async function again<T>(work: () => Promise<T>, { repeatable = false } = {}): Promise<T> {
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

  return {
    settings,
    write,
    once: querying(pool),
    transactionOnce,
    query: <Row>(text: string, values?: readonly unknown[]) =>
      again(() => querying(pool)<Row>(text, values)),
    transaction: (work, options) => again(() => transactionOnce(work), options),
    async end() {
      await Promise.all([writing.end(), pool.end()]);
    },
  };
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
