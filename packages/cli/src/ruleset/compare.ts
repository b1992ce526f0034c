import { isBylawError } from "@bylaw/config";
import { messageOf, type Kernel, type ToolCall } from "@bylaw/kernel";
import type { CasePast } from "../cases/case-past.ts";
import { viewsOf } from "../cases/policy-bench.ts";
import { decidedBy, flipOf } from "../replay/replay-lines.ts";
import type { Recorded } from "../replay/recorded-call.ts";
import type { Flip } from "../replay/replay-report.ts";

/** A call to decide under two rulesets. */
export interface ComparedCall {
  readonly at: { readonly line: number; readonly sequence: string };
  readonly call: ToolCall;
  /** What happened in its run before the call. */
  readonly past: CasePast | undefined;
}

/** Yields the result of each call under both kernels. Calls without a past are compared only once. */
export async function* comparedCalls(
  calls: readonly ComparedCall[],
  before: Kernel,
  after: Kernel,
): AsyncGenerator<Flip | "same"> {
  const seen = new Set<string>();
  for (const { at, call, past } of calls) {
    const key = JSON.stringify({ ...call, id: undefined });
    if (past === undefined && seen.has(key)) continue;
    if (past === undefined) seen.add(key);
    const [old, now] = [await outcome(before, call, past), await outcome(after, call, past)];
    yield flipOf(at, call, old, now);
  }
}

// A call that every host must refuse counts as denied, as in a batch.
async function outcome(
  kernel: Kernel,
  call: ToolCall,
  past: CasePast | undefined,
): Promise<Recorded> {
  try {
    return await decidedBy(kernel, call, viewsOf(kernel).of(past));
  } catch (error) {
    if (!isBylawError(error) || error.code !== "BYLAW_SUBJECT_INVALID") throw error;
    const { effect, code } = kernel.refuse(call, "invalid_call", messageOf(error));
    return { effect, code };
  }
}
