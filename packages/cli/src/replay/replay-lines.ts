import { isBylawError } from "@bylaw/config";
import {
  messageOf,
  type Decision,
  type Kernel,
  type LogEvent,
  type ToolCall,
  type View,
} from "@bylaw/kernel";
import { defaultsFrom } from "../decide/call-options.ts";
import { textLines } from "../io/read-lines.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";
import { foldingView } from "../log/folding-view.ts";
import type { LogSource } from "../log/log-source.ts";
import { readRun } from "../log/open-store.ts";
import { logLine, type LogLine, type Recorded } from "./recorded-call.ts";
import {
  flipText,
  notReplayableText,
  type Flip,
  type NotReplayable,
  type ReplayCount,
} from "./replay-report.ts";

type AskedLine = LogLine & { readonly call: ToolCall };

interface Replay {
  readonly candidate: Kernel;
  /** Returns the earlier decision about a call. */
  readonly before: (line: AskedLine) => Promise<Recorded>;
  /** Receives each event after its call was decided. */
  readonly onEvent?: (event: LogEvent) => void;
  readonly count: ReplayCount;
  readonly json: boolean;
}

/** Decides each call of a log by the candidate. Prints and counts the decisions that change. */
export async function replayLines(
  source: LogSource,
  { candidate, before, onEvent, count, json }: Replay,
): Promise<void> {
  const log = "store" in source ? source.run : (source.files[0] ?? "");
  const state = foldingView(candidate);
  const defaults = defaultsFrom({ interactive: true });
  const read =
    "store" in source ? readRun(source.store, source.run) : textLines(log, "BYLAW_LOG_INVALID");
  for await (const lines of read) {
    let text = "";
    for (const raw of lines) {
      const line = logLine(raw, log, defaults);
      const result = await again(line, candidate, state.view, before);
      if (line.event !== undefined) {
        state.add(line.event);
        onEvent?.(line.event);
      }
      count.add(result);
      if (typeof result === "object") text += resultText(result, { json });
    }
    if (text !== "") await write(text);
  }
}

/** Prints a flip, or the reason why a call cannot be replayed, as JSON or for a person. */
export function resultText(
  result: Flip | NotReplayable,
  { json }: { readonly json: boolean },
): string {
  const paint = paintFor(process.stdout);
  if ("recorded" in result)
    return json ? jsonLine({ flip: result }) : `${flipText(result, paint)}\n`;
  return json ? jsonLine({ not_replayable: result }) : `${notReplayableText(result, paint)}\n`;
}

async function again(
  line: LogLine,
  candidate: Kernel,
  view: View,
  decideBefore: Replay["before"],
): Promise<Flip | NotReplayable | "same" | "no call"> {
  const { call, not_replayable: why, id } = line;
  const at = { line: line.line, ...(id === undefined ? {} : { sequence: id }) };
  if (why !== undefined) return { ...at, why };
  if (call === undefined) return "no call";
  try {
    const before = await decideBefore({ ...line, call });
    return flipOf(at, call, before, await decidedBy(candidate, call, view));
  } catch (error) {
    if (!isBylawError(error) || error.code !== "BYLAW_SUBJECT_INVALID") throw error;
    return { ...at, why: messageOf(error) };
  }
}

/** Compares two decisions: `same`, or the flip. */
export const flipOf = (
  at: Pick<Flip, "line" | "sequence">,
  { tool, args }: ToolCall,
  recorded: Recorded,
  candidate: Recorded,
): Flip | "same" =>
  recorded.effect === candidate.effect ? "same" : { ...at, tool, args, recorded, candidate };

/** The decision of a kernel about a call, in the form in which a log records it. Throws BYLAW_SUBJECT_INVALID for an invalid call. */
export async function decidedBy(kernel: Kernel, call: ToolCall, view?: View): Promise<Recorded> {
  return recordedOf(await kernel.decidePrepared(await kernel.prepare(call), view));
}

const recordedOf = ({ effect, code, rule }: Decision): Recorded => ({
  effect,
  code,
  ...(rule === undefined ? {} : { rule }),
});
