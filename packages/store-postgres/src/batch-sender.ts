import { randomUUID } from "node:crypto";
import type { Outcome, Turn } from "./checked-batch.ts";
import { pause, type Database } from "./database.ts";
import { failureOf, isBusy, isCertain, isLost, isMoved, isRace, isUnknown } from "./failures.ts";
import type { LongNames } from "./long-names.ts";
import type { BatchEntry } from "./plan.ts";

/** Sends a batch under its number and returns the outcome of each commit. */
export type Perform = (turn: Turn) => Promise<readonly (readonly [BatchEntry, Outcome])[]>;

export type Sent =
  | { readonly kind: "answered"; readonly outcomes: readonly (readonly [BatchEntry, Outcome])[] }
  /** The answer was lost, but the batch was written. `firsts`: the first sequence of each commit; empty if all are as planned. */
  | { readonly kind: "recovered"; readonly firsts: readonly string[] }
  /** Nothing was written. `shared`: the server is the reason, not one of the commits. */
  | { readonly kind: "failed"; readonly error: unknown; readonly shared: boolean }
  /** It is unknown whether the batch was written. */
  | { readonly kind: "unknown"; readonly error: unknown };

/**
 * Sends batches, one at a time. The database keeps the number of this sender's last batch. So the outcome of a batch whose answer was lost
 * can be read later, and no batch is written twice.
 */
export class BatchSender {
  readonly #database: Database;
  readonly #names: LongNames;
  readonly #writer = randomUUID();
  #batch = 0;
  /** Whether the outcome of the batch with this number is known. */
  #settled = false;

  constructor(database: Database, names: LongNames) {
    this.#database = database;
    this.#names = names;
  }

  /** Retries until the database has taken the batch, or has certainly not taken it. */
  async send(perform: Perform): Promise<Sent> {
    const until = Date.now() + this.#database.settings.retry_ms;
    for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
      try {
        await this.#names.save();
        if (!this.#settled) await this.#settle(until);
      } catch (error) {
        return { kind: "failed", error, shared: true };
      }
      const sent = await this.#attempt(perform, until);
      if (sent.kind !== "failed") return sent;
      const { error } = sent;
      if (isMoved(error)) {
        // The server rolled back the batch together with its number, so the number can be used again.
        this.#batch -= 1;
        this.#settled = true;
        continue;
      }
      if (!(isLost(error) || isRace(error) || isUnknown(error))) return sent;
      if (Date.now() + wait > until) return { ...sent, shared: true };
      await pause(wait);
    }
  }

  /** Removes this sender's row from the database. Nothing may be sent afterwards. */
  async leave(): Promise<void> {
    if (this.#batch === 0) return;
    await this.#database
      .once("delete from {schema}.writers where id = $1", [this.#writer])
      .catch(() => {});
  }

  async #attempt(perform: Perform, until: number): Promise<Sent> {
    const { lock_timeout_ms } = this.#database.settings;
    this.#batch += 1;
    this.#settled = false;
    try {
      const outcomes = await perform({ writer: this.#writer, batch: this.#batch, lock_timeout_ms });
      this.#settled = true;
      return { kind: "answered", outcomes };
    } catch (error) {
      const failed: Sent = { kind: "failed", error, shared: false };
      if (isCertain(error)) return failed;
      try {
        const firsts = await this.#settle(until);
        return firsts === undefined ? failed : { kind: "recovered", firsts };
      } catch {
        return { kind: "unknown", error };
      }
    }
  }

  /** The first sequence of each commit of the last batch. `undefined` if the batch was not written and never will be. */
  async #settle(until: number): Promise<readonly string[] | undefined> {
    const { lock_timeout_ms, target } = this.#database.settings;
    for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
      try {
        const [row] = await this.#database.write<{ readonly firsts: readonly string[] }>(
          "select * from {schema}.settle_batch($1, $2, $3)",
          [lock_timeout_ms, this.#writer, this.#batch],
        );
        this.#settled = true;
        return row?.firsts;
      } catch (error) {
        if (!(isLost(error) || isBusy(error)) || Date.now() + wait > until)
          throw failureOf(error, target);
        await pause(wait);
      }
    }
  }
}
