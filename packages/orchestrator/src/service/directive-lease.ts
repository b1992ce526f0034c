import { problem, type Problem } from "../http/problem.ts";
import { StoreConflict, type Store } from "@bylaw/store";
import type { Service } from "./service.ts";

const KIND = "bylaw/directive-lease";

/** Who carries out a directive, and for how many milliseconds. */
interface LeaseRequest {
  readonly directive: string;
  readonly holder: string;
  readonly lease_ms: number;
}

/**
 * Gives a directive to one holder for the time of a lease, or renews the lease. Resolves to its end. Throws the problem of a directive that
 * another holder has. A lease is not an event: the log has only what was issued and done.
 */
export async function leaseDirective(
  {
    run,
    store,
    now,
  }: Pick<Service, "run" | "now"> & { readonly store: Pick<Store, "get" | "put"> },
  { directive, holder, lease_ms }: LeaseRequest,
): Promise<string> {
  const id = JSON.stringify([run.run, directive]);
  const held = await store.get(KIND, id);
  if (held !== undefined && held.value !== holder) throw taken();
  const lease_until = new Date(Date.parse(now()) + lease_ms).toISOString();
  try {
    const lease = { kind: KIND, id, value: holder, if_version: held?.version ?? 0 };
    await store.put({ ...lease, expires_at: lease_until });
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
