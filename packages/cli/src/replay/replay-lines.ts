import { isBylawError } from "@bylaw/config";
import {
  messageOf,
  type Decision,
  type Kernel,
  type LogEvent,
  type ToolCall,
  type Transition,
  type View,
} from "@bylaw/kernel";
import { CALL_EVENTS } from "@bylaw/log";
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

type Asked = ToolCall | Transition;
type AskedLine = LogLine & { readonly subject: Asked };

interface Replay {
  readonly candidate: Kernel;
  /** Returns the earlier decision. */
  readonly before: (line: AskedLine) => Promise<Recorded>;
  /** Which events of decisions to decide again. Default: those about calls. */
  readonly wanted?: (event: LogEvent) => boolean;
  /** Receives each event after its call was decided. */
  readonly onEvent?: (event: LogEvent) => void;
  readonly onDecided?: (line: AskedLine, before: Recorded, candidate: Recorded) => void;
  readonly count: Pick<ReplayCount, "add">;
  /** Returns the text to print about a decision that changes. */
  readonly textOf: (result: Flip | NotReplayable) => string;
}

/** Decides each call of a log by the candidate. Prints and counts the decisions that change. */
export async function replayLines(source: LogSource, replay: Replay): Promise<void> {
  const { candidate, wanted = isCall, onEvent, count, textOf } = replay;
  const log = "store" in source ? source.run : (source.files[0] ?? "");
  const state = foldingView(candidate);
  const defaults = defaultsFrom({ interactive: true });
  const read =
    "store" in source ? readRun(source.store, source.run) : textLines(log, "BYLAW_LOG_INVALID");
  for await (const lines of read) {
    let text = "";
    for (const raw of lines) {
      const line = logLine(raw, log, defaults);
      const isWanted = line.event === undefined || wanted(line.event);
      const result = isWanted ? await again(line, replay, state.view) : "no call";
      if (line.event !== undefined) {
        state.add(line.event);
        onEvent?.(line.event);
      }
      count.add(result);
      if (typeof result === "object") text += textOf(result);
    }
    if (text !== "") await write(text);
  }
}

const isCall = ({ event_type }: LogEvent): boolean => CALL_EVENTS.has(event_type);

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
  { candidate, before: decideBefore, onDecided }: Replay,
  view: View,
): Promise<Flip | NotReplayable | "same" | "no call"> {
  const { call, transition, not_replayable: why, id } = line;
  const subject = call ?? transition;
  const at = { line: line.line, ...(id === undefined ? {} : { sequence: id }) };
  if (why !== undefined) return { ...at, why };
  if (subject === undefined) return "no call";
  try {
    const asked = { ...line, subject };
    const before = await decideBefore(asked);
    const after = await decidedBy(candidate, subject, view);
    onDecided?.(asked, before, after);
    return flipOf(at, subject, before, after);
  } catch (error) {
    if (!isBylawError(error) || error.code !== "BYLAW_SUBJECT_INVALID") throw error;
    return { ...at, why: messageOf(error) };
  }
}

/** Compares two decisions: `same`, or the flip. */
export const flipOf = (
  at: Pick<Flip, "line" | "sequence">,
  subject: Asked,
  recorded: Recorded,
  candidate: Recorded,
): Flip | "same" =>
  recorded.effect === candidate.effect
    ? "same"
    : { ...at, ...shownAs(subject), recorded, candidate };

const shownAs = (subject: Asked): Pick<Flip, "tool" | "args"> =>
  subject.hook === "beforeToolCall"
    ? { tool: subject.tool, args: subject.args }
    : {
        tool: "transition",
        args: { task: subject.task, from: subject.from ?? null, to: subject.to },
      };

/** The decision of a kernel, in the form in which a log records it. Throws BYLAW_SUBJECT_INVALID for an invalid call. */
export async function decidedBy(kernel: Kernel, subject: Asked, view?: View): Promise<Recorded> {
  return recordedOf(await kernel.decidePrepared(await kernel.prepare(subject), view));
}

const recordedOf = ({ effect, code, rule }: Decision): Recorded => ({
  effect,
  code,
  ...(rule === undefined ? {} : { rule }),
});
