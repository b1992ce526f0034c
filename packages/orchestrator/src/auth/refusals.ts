import { messageOf, omitUndefined, type JsonObject } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { ACCESS_REFUSED } from "../events/event-types.ts";
import type { Log } from "../observe/log.ts";
import { setBounded } from "../service/bounded-map.ts";
import { isStoreFailure } from "../service/store-health.ts";
import type { Refusal, RefusedRequest } from "./refusal.ts";

interface RefusalOptions {
  readonly run: Run;
  /** How many refusals per second are recorded for each agent, and for all unknown callers together. */
  readonly per_second: number;
  /** Returns milliseconds since 1970. */
  readonly time: () => number;
  readonly log: Log;
  readonly onRefused: (code: string) => void;
}

/** How many agents have a bucket of their own. The oldest ones are dropped. */
const AGENTS = 10_000;

/** A refusal in the form in which it is recorded. */
interface RefusalRecord {
  readonly agent: string | undefined;
  readonly details: JsonObject;
}

interface Bucket {
  left: number;
  last: number;
  /** Refusals since the last recorded one. */
  unrecorded: number;
  /** The last of them. */
  missed?: RefusalRecord | undefined;
}

/** Records refused requests, up to a rate, so that nobody can fill the log with them. */
export class Refusals {
  readonly #options: RefusalOptions;
  readonly #most: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RefusalOptions) {
    this.#options = options;
    this.#most = Math.max(1, options.per_second);
  }

  async add(
    { code, status, credential, agent }: Refusal,
    { route, task, tool }: RefusedRequest,
  ): Promise<void> {
    this.#options.onRefused(code);
    const bucket = this.#bucketOf(agent);
    const about = omitUndefined({ agent, task, tool });
    const method = route.method.toUpperCase();
    const details = { code, status, method, route: route.path, credential, ...about };
    const refusal = { agent, details };
    if (this.#mayRecord(bucket)) await this.#record(bucket, refusal);
    else {
      bucket.unrecorded += 1;
      bucket.missed = refusal;
    }
  }

  /**
   * Records refusals that were left out and not counted in a later one, as the rate permits; `all`: at once. Resolves to the number of
   * records.
   */
  async flush({ all = false } = {}): Promise<number> {
    // In parallel, so that those of many agents share a commit, because a closing server waits for them.
    const recorded = await Promise.all(
      [...this.#buckets.values()].map(async (bucket) => {
        const { missed } = bucket;
        if (missed === undefined || this.#options.per_second === 0) return false;
        if (!(this.#mayRecord(bucket) || all)) return false;
        // The missed refusal is one of the unrecorded ones, and is now recorded itself.
        bucket.unrecorded -= 1;
        return this.#record(bucket, missed);
      }),
    );
    return recorded.filter(Boolean).length;
  }

  // A flood of unknown callers must not hide what a known agent tried.
  #bucketOf(agent: string | undefined): Bucket {
    const key = agent === undefined ? "" : `agent ${agent}`;
    const fresh = { left: this.#most, last: this.#options.time(), unrecorded: 0 };
    const bucket = this.#buckets.get(key) ?? fresh;
    setBounded(this.#buckets, key, bucket, AGENTS);
    return bucket;
  }

  #mayRecord(bucket: Bucket): boolean {
    const { time, per_second } = this.#options;
    const at = time();
    const more = (Math.max(0, at - bucket.last) / 1_000) * per_second;
    bucket.left = Math.min(this.#most, bucket.left + more);
    bucket.last = at;
    if (per_second === 0 || bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  async #record(bucket: Bucket, refusal: RefusalRecord): Promise<boolean> {
    const { run, log } = this.#options;
    const { unrecorded } = bucket;
    bucket.unrecorded = 0;
    bucket.missed = undefined;
    const details = unrecorded === 0 ? refusal.details : { ...refusal.details, unrecorded };
    const { credential: shown = null, ...fields } = details as JsonObject;
    log.warn({ ...fields, shown }, "a request was refused");
    try {
      // Only the name of an agent with a valid token is certain.
      const about = { event_type: ACCESS_REFUSED, agent_id: refusal.agent ?? null, task_id: null };
      await run.record([{ ...about, details }]);
      return true;
    } catch (error) {
      bucket.unrecorded += unrecorded + 1;
      bucket.missed ??= refusal;
      // The request is refused even if the refusal cannot be recorded.
      if (!isStoreFailure(error))
        log.error({ error: messageOf(error) }, "a refusal could not be recorded");
      return false;
    }
  }
}
