import { type Refusal } from "./refusal.ts";
import type { Log } from "../observe/logger.ts";
import { type RefusedRequest } from "./refused-request.ts";
import type { Run } from "@bylaw/log";
import { messageOf, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { ACCESS_REFUSED } from "../events/event-types.ts";
import { isStoreFailure } from "../service/store-health.ts";

/** Puts on record who was not let in, at most so many in a second: whoever asks in vain must not fill the log. */
export interface Refusals {
  add(refusal: Refusal, request: RefusedRequest): Promise<void>;
  /** Puts on record what was left out and no later refusal told of, where it is time for it; `all`: at once. Resolves to how much it recorded. */
  flush(how?: { readonly all?: boolean }): Promise<number>;
}

interface RefusalTerms {
  readonly run: Run;
  readonly per_second: number;
  /** Milliseconds since 1970. */
  readonly time: () => number;
  readonly log: Log;
  readonly onRefused: (code: string) => void;
}

/** Agents that were refused lately, each with a place of its own. */
const AGENTS = 10_000;

/** A refusal, as it is recorded. */
interface Told {
  readonly agent: string | undefined;
  readonly details: JsonObject;
}

interface Bucket {
  left: number;
  last: number;
  /** Since the last one on record. */
  unrecorded: number;
  /** The last of those. */
  missed?: Told | undefined;
}

export function createRefusals({ run, per_second, time, log, onRefused }: RefusalTerms): Refusals {
  const most = Math.max(1, per_second);
  const buckets = new Map<string, Bucket>();

  // A flood of those whom nobody knows must not hide what an agent tried that is known.
  function bucketOf(agent: string | undefined): Bucket {
    const key = agent === undefined ? "" : `agent ${agent}`;
    const bucket = buckets.get(key) ?? { left: most, last: time(), unrecorded: 0 };
    buckets.delete(key);
    buckets.set(key, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > AGENTS && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  }

  function mayRecord(bucket: Bucket): boolean {
    const at = time();
    bucket.left = Math.min(
      most,
      bucket.left + (Math.max(0, at - bucket.last) / 1_000) * per_second,
    );
    bucket.last = at;
    if (per_second === 0 || bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  async function put(bucket: Bucket, one: Told): Promise<boolean> {
    const { unrecorded } = bucket;
    bucket.unrecorded = 0;
    bucket.missed = undefined;
    const details: JsonObject = unrecorded === 0 ? one.details : { ...one.details, unrecorded };
    const { credential: shown = null, ...told } = details;
    log.warn({ ...told, shown }, "a request was refused");
    try {
      // Of an agent whose token is good the log knows the name; every other name is only claimed.
      await run.record([
        { event_type: ACCESS_REFUSED, agent_id: one.agent ?? null, task_id: null, details },
      ]);
      return true;
    } catch (error) {
      bucket.unrecorded += unrecorded + 1;
      bucket.missed ??= one;
      // It is refused whether or not it is on record.
      if (!isStoreFailure(error))
        log.error({ error: messageOf(error) }, "a refusal could not be put on record");
      return false;
    }
  }

  return {
    async add({ code, status, credential, agent }, { route, task, tool }) {
      onRefused(code);
      const bucket = bucketOf(agent);
      const method = route.method.toUpperCase();
      const one: Told = {
        agent,
        details: {
          code,
          status,
          method,
          route: route.path,
          credential,
          ...omitUndefined({ agent, task, tool }),
        },
      };
      if (mayRecord(bucket)) await put(bucket, one);
      else {
        bucket.unrecorded += 1;
        bucket.missed = one;
      }
    },
    async flush({ all = false } = {}) {
      // Side by side, so that those of many agents share a commit: a server that ends waits for them.
      const recorded = await Promise.all(
        [...buckets.values()].map(async (bucket) => {
          const { missed } = bucket;
          if (missed === undefined || per_second === 0 || !(mayRecord(bucket) || all)) return false;
          // It is one of them, and told itself.
          bucket.unrecorded -= 1;
          return put(bucket, missed);
        }),
      );
      return recorded.filter(Boolean).length;
    },
  };
}
