import type { SessionEvent, ToolReturn } from "@bylaw/host";
import { MAX_DETAIL_LENGTH, recordOf } from "@bylaw/host/events";
import { canonicalJson, omitUndefined, type Decision, type Kernel } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { callReturned } from "./call-returned.ts";
import { whyForbidden } from "./ran-call.ts";

interface Opened {
  readonly kernel: Kernel;
  readonly run: Run;
  readonly store: Store;
}

/**
 * Records the result of a call. A call that is not on record as it ran is decided again, without being counted. Resolves to the reason
 * why that call should not have run, which is then on record too.
 */
export async function recordReturned(
  returned: ToolReturn,
  { kernel, run, store }: Opened,
  { host, strict }: { readonly host: string; readonly strict: boolean },
): Promise<string | undefined> {
  await run.catchUp();
  const { result, unchanged } = await callReturned(returned, run, store);
  const decision = unchanged
    ? undefined
    : await kernel.decide({ ...returned.call, run: run.run, hook: "beforeToolCall" }, run.view);
  if (result !== undefined) await run.toolResult(result);
  const reason = decision && whyForbidden(decision, { strict, unasked: true });
  if (decision !== undefined && reason !== undefined)
    await run.record([recordOf(forbiddenCall(returned, decision), host)]);
  return reason;
}

const forbiddenCall = ({ call, name }: ToolReturn, { code }: Decision): SessionEvent => ({
  ...{ kind: "session_event", name, type: "forbidden_call_ran", session: call.session ?? "" },
  ...omitUndefined({ agent: call.agent }),
  details: {
    tool: call.tool.slice(0, MAX_DETAIL_LENGTH),
    args: canonicalJson(call.args).slice(0, MAX_DETAIL_LENGTH),
    code,
  },
});
