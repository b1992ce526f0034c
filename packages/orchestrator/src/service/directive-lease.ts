import { problem, type Problem } from "../http/problem.ts";
import { StoreConflict, type Store } from "@bylaw/store";
import type { Service } from "./service.ts";

const KIND = "bylaw/directive-lease";
const ATTEMPTS = "bylaw/directive-attempts";

/** The holder of a directive, and the milliseconds of its lease. */
interface LeaseRequest {
  readonly directive: string;
  readonly holder: string;
  readonly lease_ms: number;
  /** Set when the holder begins an attempt: how many there may be in all. Left out to renew the lease. */
  readonly max_attempts?: number | undefined;
}

/**
 * Gives a directive to one holder for the time of a lease, or renews the lease. Resolves to its end. Throws the problem of a directive that
 * another holder has, or whose attempts are spent. A lease is not an event: the log has only what was issued and done.
 */
export async function leaseDirective(
  {
    run,
    store,
    now,
  }: Pick<Service, "run" | "now"> & { readonly store: Pick<Store, "get" | "put"> },
  { directive, holder, lease_ms, max_attempts }: LeaseRequest,
): Promise<string> {
  const id = JSON.stringify([run.run, directive]);
  const held = await store.get(KIND, id);
  if (held !== undefined && held.value !== holder) throw taken();
  const tried = max_attempts === undefined ? undefined : await store.get(ATTEMPTS, id);
  const attempts = Number(tried?.value ?? 0);
  if (max_attempts !== undefined && attempts >= max_attempts) throw spent(attempts);
  const lease_until = new Date(Date.parse(now()) + lease_ms).toISOString();
  try {
    const lease = { kind: KIND, id, value: holder, if_version: held?.version ?? 0 };
    await store.put({ ...lease, expires_at: lease_until });
    // Counted before it begins, so that a holder that is killed has had its attempt.
    if (max_attempts !== undefined)
      await store.put({
        ...{ kind: ATTEMPTS, id, value: String(attempts + 1) },
        if_version: tried?.version ?? 0,
      });
  } catch (error) {
    if (error instanceof StoreConflict) throw taken();
    throw error;
  }
  return lease_until;
}

const taken = (): Problem =>
  problem({
    status: 409,
    code: "BYLAW_DIRECTIVE_TAKEN",
    detail: "Another holder carries out this directive",
    fix: "Take another one, or this one when its lease is over.",
  });

const spent = (attempts: number): Problem =>
  problem({
    status: 409,
    code: "BYLAW_DIRECTIVE_SPENT",
    detail: `All attempts to carry out this directive failed (${attempts})`,
    fix: "Report it yourself, or raise `attempts` in the file of agents.",
  });
