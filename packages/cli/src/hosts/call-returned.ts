import type { ToolReturn } from "@bylaw/host";
import {
  canonicalJson,
  isJsonObject,
  omitUndefined,
  type LogEvent,
  type ToolCall,
} from "@bylaw/kernel";
import { OfferedCalls, recordedDigest, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";

type ToolResult = Parameters<Run["toolResult"]>[0];

/** The number of latest events to search. A call without an id that is not among them gets no result. */
const LOOKED = 1_000;

/** What the log says about a call that returned. */
interface Returned {
  /** The result to record. Left out if it is already recorded, or if it is unclear which call returned. */
  readonly result?: ToolResult;
  /** Whether the call ran as Bylaw was asked about it. */
  readonly unchanged: boolean;
}

/** Finds a call that returned in the log. */
export async function callReturned(
  { call, ok, exit_code }: ToolReturn,
  { run, head }: Pick<Run, "run" | "head">,
  store: Pick<Store, "events">,
): Promise<Returned> {
  const events = await store.events(run, Math.max(0, head - LOOKED), LOOKED);
  const open = openCalls(events, call);
  const [oldest] = open ?? [];
  const unchanged =
    call.id === undefined ? oldest !== undefined : events.some((event) => isUnchanged(event, call));
  if (oldest === undefined) return { unchanged };
  const [id, { unsure }] = oldest;
  return {
    unchanged,
    result: {
      ...{ id, tool: call.tool, ok, ...omitUndefined({ agent: call.agent }) },
      ...(exit_code === undefined ? {} : { result: { exit_code } }),
      // The result may belong to an identical call, or to another one than Bylaw was asked about, so it is no evidence.
      ...(unsure || !unchanged ? { reported: true } : {}),
    },
  };
}

// Arguments that a redactor changed cannot be compared.
const isUnchanged = (event: LogEvent, call: ReturnedCall): boolean =>
  STARTS.has(event.event_type) &&
  event.details["id"] === call.id &&
  (recordedDigest(event) === undefined || isSame(event, call));

type OpenCalls = Map<string, { unsure: boolean }>;

/** The calls that may have returned, oldest first. Undefined if the result is already recorded. */
function openCalls(
  events: readonly LogEvent[],
  call: Omit<ToolCall, "hook">,
): OpenCalls | undefined {
  const open: OpenCalls = new Map();
  const offers = new OfferedCalls();
  for (const event of events) {
    const isChanged = offers.add(event)?.taken === true;
    const id = String(event.details["id"]);
    if (event.event_type === "tool_result") {
      if (id === call.id) return undefined;
      open.delete(id);
    } else if (
      call.id === undefined &&
      STARTS.has(event.event_type) &&
      (isSame(event, call) || (isChanged && isPart(event, call)))
    ) {
      // The results of identical calls that are open at the same time come in any order, so all of them are unsure.
      for (const other of open.values()) other.unsure = true;
      open.set(id, { unsure: open.size > 0 });
    }
  }
  return call.id === undefined ? open : new Map([[call.id, { unsure: false }]]);
}

const STARTS: ReadonlySet<string> = new Set(["tool_allowed", "tool_asked"]);

type ReturnedCall = Omit<ToolCall, "hook">;

const isSame = (event: LogEvent, call: ReturnedCall): boolean =>
  isOfTool(event, call) &&
  canonicalJson(event.details["args"] ?? null) === canonicalJson(call.args);

// Droid leaves arguments out when it reports the result of a changed call.
function isPart(event: LogEvent, call: ReturnedCall): boolean {
  const { args = null } = event.details;
  return (
    isOfTool(event, call) &&
    isJsonObject(args) &&
    isJsonObject(call.args) &&
    canonicalJson({ ...args, ...call.args }) === canonicalJson(args)
  );
}

const isOfTool = ({ agent_id, details: { tool, server } }: LogEvent, call: ReturnedCall): boolean =>
  tool === call.tool && server === call.server && agent_id === (call.agent ?? null);
