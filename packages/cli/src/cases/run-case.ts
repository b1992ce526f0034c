import { isBylawError } from "@bylaw/config";
import type { Decision, ToolCall, View } from "@bylaw/kernel";
import { expectationFault } from "@bylaw/policy-language";
import { notRefusable, unknownState, type PolicyCase } from "./case-file.ts";
import type { PolicyBench } from "./policy-bench.ts";

/** The result of one case. */
export interface CaseResult {
  readonly asked: PolicyCase;
  readonly decision: Decision;
  /** The call as the kernel prepared it. Undefined if the line was no valid call. */
  readonly call: ToolCall | undefined;
  /** What differs from the expectation. Undefined if nothing does. */
  readonly wrong: string | undefined;
}

/** Decides one case as a host would. */
export async function runCase(
  asked: PolicyCase,
  { kernel, views }: Pick<PolicyBench, "kernel" | "views">,
): Promise<CaseResult> {
  const { call, refused = "", expected, max_ms } = asked;
  if (call === undefined) return judged(asked, kernel.refuse({}, "invalid_call", refused));
  const view = viewOfCase(asked, views);
  let prepared: ToolCall;
  const started = performance.now();
  try {
    prepared = (await kernel.prepare(call)) as ToolCall;
  } catch (error) {
    if (!isBylawError(error)) throw error;
    if (!asked.refusable) throw notRefusable(error.message, asked);
    return judged(asked, kernel.refuse(call, "invalid_call", error.message));
  }
  const decision = await kernel.decidePrepared(prepared, view);
  const took = performance.now() - started;
  const late =
    max_ms !== undefined && took > max_ms
      ? `The decision took ${took.toFixed(1)} ms; the case allows ${max_ms} ms`
      : undefined;
  return { asked, decision, call: prepared, wrong: expectationFault(expected, decision) ?? late };
}

function viewOfCase(asked: PolicyCase, { of, names }: PolicyBench["views"]): View {
  const unknown = Object.keys(asked.past?.states ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownState(unknown, names, asked);
  return of(asked.past);
}

function judged(asked: PolicyCase, decision: Decision): CaseResult {
  return { asked, decision, call: undefined, wrong: expectationFault(asked.expected, decision) };
}
