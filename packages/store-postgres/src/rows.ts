import type { Query } from "./database.ts";

/** The rows of one table that a transaction has locked, and what it makes of them. */
export class Rows<Row> {
  readonly #locked: ReadonlyMap<string, Row>;
  readonly #written = new Map<string, Row>();

  constructor(locked: readonly Row[], keyOf: (row: Row) => string) {
    this.#locked = new Map(locked.map((row) => [keyOf(row), row]));
  }

  get(key: string): Row | undefined {
    return this.#written.get(key) ?? this.#locked.get(key);
  }

  set(key: string, row: Row): void {
    this.#written.set(key, row);
  }

  /** Sends the statements that insert the new rows and update the others, with an array for each column. */
  send(
    query: Query,
    { insert, update }: { readonly insert: string; readonly update: string },
    columnsOf: (row: Row) => readonly unknown[],
  ): void {
    const written = [...this.#written];
    const added = written.filter(([key]) => !this.#locked.has(key));
    const changed = written.filter(([key]) => this.#locked.has(key));
    // A row that another transaction has inserted meanwhile makes the insert fail, and the batch is decided again.
    void sendRows(
      query,
      insert,
      added.map(([, row]) => columnsOf(row)),
    );
    void sendRows(
      query,
      update,
      changed.map(([, row]) => columnsOf(row)),
    );
  }
}

/** Sends a statement that takes an array for each column. Sends nothing without rows. */
export const sendRows = <Row>(
  query: Query,
  text: string,
  rows: readonly (readonly unknown[])[],
): Promise<readonly Row[]> =>
  rows[0] === undefined
    ? Promise.resolve([])
    : query<Row>(
        text,
        rows[0].map((_, column) => rows.map((row) => row[column])),
      );
