import type { Unit } from "@bylaw/dashboard";
import { CALL_EVENTS } from "@bylaw/log";
import { isJsonObject, type Kernel, type LogEvent } from "@bylaw/kernel";
import { VARIANTS, type Variant } from "@bylaw/log/experiment";
import { plain } from "../io/text.ts";
import { foldingView } from "../log/folding-view.ts";
import type { LogSource } from "../log/log-source.ts";
import type { Recorded } from "../replay/recorded-call.ts";
import { decidedBy, replayLines } from "../replay/replay-lines.ts";
import type { Flip, NotReplayable, ReplayCount } from "../replay/replay-report.ts";

type Counts = { -readonly [Name in "blocked" | "questions" | "denials"]: number };

const noCounts = (): Counts => ({ blocked: 0, questions: 0, denials: 0 });

interface ReplayOptions {
  readonly kernels: Readonly<Record<Variant, Kernel>>;
  /** Which decisions to compare. All events count for what happened before. */
  readonly wanted: (event: LogEvent) => boolean;
  readonly count: Pick<ReplayCount, "add">;
  readonly textOf: (run: string, result: Flip | NotReplayable) => string;
}

/** Decides the calls and transitions of runs under both versions, and returns the counts of each run in which one could be decided. */
export async function replayRuns(
  sources: readonly LogSource[],
  { kernels: { a, b }, wanted, count, textOf }: ReplayOptions,
): Promise<Readonly<Record<Variant, readonly Unit[]>>> {
  const units: Record<Variant, Unit[]> = { a: [], b: [] };
  for (const source of sources) {
    const run = "store" in source ? source.run : (source.files[0] ?? "");
    const counts = { a: noCounts(), b: noCounts() };
    let decided = 0;
    const state = foldingView(a);
    await replayLines(source, {
      candidate: b,
      before: ({ subject }) => decidedBy(a, subject, state.view),
      wanted: (event) => isDecision(event) && wanted(event),
      onEvent: (event) => state.add(event),
      onDecided({ subject: { hook }, event }, before, candidate) {
        decided += 1;
        if (event !== undefined && isApproved(event)) return;
        add(counts.a, hook, before);
        add(counts.b, hook, candidate);
      },
      count,
      textOf: (result) => textOf(plain(run), result),
    });
    if (decided > 0) for (const variant of VARIANTS) units[variant].push(counts[variant]);
  }
  return units;
}

const isDecision = ({ event_type }: LogEvent): boolean =>
  CALL_EVENTS.has(event_type) ||
  event_type === "phase_entered" ||
  event_type === "transition_blocked";

// Such a call was counted when a person was asked about it. It is made again after the answer.
const isApproved = ({ details: { decision } }: LogEvent): boolean =>
  isJsonObject(decision) && decision["approval"] !== undefined;

function add(counts: Counts, hook: string, { effect, code }: Recorded): void {
  if (effect === "allow") return;
  if (hook === "onTransition") counts.blocked += 1;
  else if (effect === "ask_user" || code === "approval_unavailable") counts.questions += 1;
  else counts.denials += 1;
}
