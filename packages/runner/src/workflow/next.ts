import type { Step, Template } from "../template/template.ts";
import { skipReason, type SkipReason } from "./skip-reason.ts";
import type { Frame, Unit, WorkflowState } from "./standing.ts";
import { resultOf } from "./state.ts";

/** A step that is to be tried. */
export interface Start {
  readonly step: Step;
  readonly index: number;
  readonly next: number;
  readonly visit: number;
  readonly attempt: number;
  readonly fallback: boolean;
}

/** Where a loop goes back to, and what it leaves out. `kept`: also when it is over. */
export interface LoopBack {
  readonly to: number;
  readonly skip: readonly string[];
  readonly kept?: boolean;
}

/** What a workflow does next. */
export type Move =
  | { readonly do: "begin" | "ended" | "held" | "paused" }
  | { readonly do: "end"; readonly outcome: "completed" | "stopped"; readonly step: string | null; readonly reason: string | null }
  | {
      readonly do: "enter";
      readonly skips: readonly { readonly step: Step; readonly index: number; readonly next: number; readonly why: SkipReason }[];
      readonly starts: readonly Start[];
    }
  | { readonly do: "run"; readonly starts: readonly Start[] }
  | { readonly do: "ask" | "oversee"; readonly unit: Unit; readonly frame: Frame; readonly step: Step }
  | { readonly do: "call"; readonly unit: Unit; readonly agent: string; readonly attempt: number; readonly step: Step }
  | { readonly do: "return"; readonly unit: Unit; readonly agent: string; readonly ok: boolean }
  | { readonly do: "settle"; readonly unit: Unit; readonly next: number | null; readonly loop: LoopBack | null }
  | { readonly do: "due"; readonly step: string; readonly why: "steps" | "kind" }
  | { readonly do: "look"; readonly step: Step }
  | { readonly do: "hold"; readonly step: string; readonly why: string; readonly message: string };

type Enter = Extract<Move, { readonly do: "enter" }>;

/** Names one frame of one unit, so that its control file is read once. */
export const frameKey = ({ step, visit, frames }: Unit): string => JSON.stringify([step, visit, frames.length, frames.at(-1)?.attempt]);

const NOTHING: ReadonlySet<string> = new Set();

/**
 * What a workflow does next, by its state. `read`: the frames whose control file was looked at since this process began. `before`: the steps
 * that had been completed before it began, which one older reading asks about. Pure.
 */
export function next(template: Template, state: WorkflowState, read: ReadonlySet<string>, before = NOTHING): Move {
  if (state.started === null) return { do: "begin" };
  if (state.ended !== null) return { do: "ended" };
  if (state.hold !== null) return { do: "held" };
  if (state.pauses.length > 0) return { do: "paused" };
  if (state.units.length > 0) return proceed(template, state, read);
  if (state.cursor >= template.steps.length) return { do: "end", outcome: "completed", step: null, reason: null };
  const entered = enter(template, state, before);
  return interrupt(template, state, entered) ?? entered;
}

// What the template makes due before steps that begin, whatever anybody asks for. What is left out is not looked at.
function interrupt(
  { oversight: source, steps }: Template,
  { interrupt: open, unseen }: WorkflowState,
  { starts }: Enter,
): Move | undefined {
  const [first] = starts;
  if (source === null || first === undefined) return undefined;
  if (open !== null) {
    if (open.status === "due") return { do: "look", step: steps.find(({ id }) => id === open.step) ?? first.step };
    if (open.released) return undefined;
    if (open.status === "failed")
      return { do: "hold", step: open.step, why: "oversight", message: "The oversight that was due did not come about" };
    return open.risk < source.hold_at
      ? undefined
      : { do: "hold", step: open.step, why: "risk", message: riskText(open.risk, source.hold_at) };
  }
  if (unseen.last === null) return undefined;
  if (source.every_steps !== null && unseen.steps >= source.every_steps) return { do: "due", step: first.step.id, why: "steps" };
  const last = steps.find(({ id }) => id === unseen.last);
  const other = source.at_kinds && last !== undefined ? starts.find(({ step }) => step.kind !== last.kind) : undefined;
  return other === undefined ? undefined : { do: "due", step: other.step.id, why: "kind" };
}

const riskText = (risk: number, limit: number): string => `The oversight found a risk of ${risk}, from ${limit} on a person looks`;

function enter({ steps, compat }: Template, state: WorkflowState, before: ReadonlySet<string>): Enter {
  const { cursor } = state;
  const group = steps[cursor]?.parallel ?? null;
  let end = cursor + 1;
  if (group !== null) while (steps[end]?.parallel === group) end += 1;
  const skips: { step: Step; index: number; next: number; why: SkipReason }[] = [];
  const starts: Start[] = [];
  for (let index = cursor; index < end; index += 1) {
    const step = steps[index];
    if (step === undefined) break;
    const why = skipReason(step, index, state, { compat, before });
    if (why === undefined)
      starts.push({ step, index, next: end, visit: (resultOf(state, step.id)?.visits ?? 0) + 1, attempt: 1, fallback: false });
    else skips.push({ step, index, next: cursor, why });
  }
  const last = skips.at(-1);
  if (starts.length === 0 && last !== undefined) skips[skips.length - 1] = { ...last, next: end };
  return { do: "enter", skips, starts };
}

function proceed(template: Template, state: WorkflowState, read: ReadonlySet<string>): Move {
  const open = state.units.filter(({ settled }) => !settled);
  // First all that has to run, beside each other; then what each of them asked for, in order.
  const starts: Start[] = [];
  for (const unit of open) {
    const again = rerun(template, unit);
    if (again === undefined) continue;
    if ("do" in again) return again;
    starts.push(again);
  }
  if (starts.length > 0) return { do: "run", starts };
  const [unit] = open;
  if (unit === undefined) throw new TypeError("units that are settled and not left");
  return steer(template, state, unit, open.length === 1, read);
}

// Its own agent did not come to an end, or to no good one.
function rerun({ steps }: Template, unit: Unit): Start | Move | undefined {
  const step = steps[unit.index];
  const [own] = unit.frames;
  if (step === undefined || own === undefined || own.status === "done") return undefined;
  const again: Start = { step, index: unit.index, next: unit.next, visit: unit.visit, attempt: own.attempt + 1, fallback: unit.fallback };
  if (own.status === "running") return interrupted(step, unit) ?? again;
  if (unit.tries <= step.retries) return again;
  if (!unit.fallback && step.fallback !== null) return { ...again, fallback: true };
  if (step.continue_on_error) return undefined;
  return {
    do: "hold",
    step: step.id,
    why: "failed",
    message: `Step \`${step.id}\` failed${unit.exit_code === null ? "" : ` with exit code ${unit.exit_code}`}`,
  };
}

const interrupted = ({ id, interrupted: then }: Step, { released }: Unit): Move | undefined =>
  then === "ask" && !released.includes("interrupted")
    ? { do: "hold", step: id, why: "interrupted", message: `Step \`${id}\` was interrupted, and nobody knows how far it came` }
    : undefined;

function steer(template: Template, state: WorkflowState, unit: Unit, alone: boolean, read: ReadonlySet<string>): Move {
  const step = template.steps[unit.index];
  const frame = unit.frames.at(-1);
  if (step === undefined || frame === undefined) throw new TypeError("a unit without its step");
  const held = (why: string, message: string): Move | undefined =>
    unit.released.includes(why) ? undefined : { do: "hold", step: step.id, why, message: message.slice(0, 1_000) };
  const called = unit.frames.length > 1 ? frame.agent : null;
  if (called !== null && frame.status === "running")
    return interrupted(step, unit) ?? { do: "call", unit, agent: called, attempt: frame.attempt + 1, step };
  const { compat } = template;
  if (called !== null && frame.status === "failed" && !step.continue_on_error && compat !== "codemachine") {
    const hold = held("failed", `Agent \`${called}\` failed, which step \`${step.id}\` called`);
    return hold ?? { do: "call", unit, agent: called, attempt: frame.attempt + 1, step };
  }
  const leave = (loop: LoopBack | null): Move =>
    called === null
      ? { do: "settle", unit, next: alone ? (loop?.to ?? unit.next) : null, loop }
      : { do: "return", unit, agent: called, ok: frame.status === "done" };
  if (frame.status === "failed") return leave(null);
  // What a called agent asked for was nobody's business there.
  if (called !== null && compat === "codemachine") return leave(null);
  if (!read.has(frameKey(unit))) return { do: "ask", unit, frame, step };
  if (frame.asked === "nothing") return leave(null);
  if (frame.asked === "rejected") return (compat === "codemachine" ? undefined : rejected(step, frame, held)) ?? leave(null);
  const { action, to, skip } = frame.directive ?? {};
  switch (action) {
    case "stop":
      return { do: "end", outcome: "stopped", step: step.id, reason: called };
    case "trigger":
      return frame.called ? leave(null) : { do: "call", unit, agent: String(frame.directive?.["agent"]), attempt: 1, step };
    case "vibecheck":
      return oversight(template, unit, frame, step, held) ?? leave(null);
    case "loop": {
      if (called !== null) return leave(null);
      const target = template.steps.findIndex(({ id }) => id === to);
      // A plugin of the configuration may send it anywhere; nowhere is no place.
      if (target < 0 || target > unit.index)
        return held("rejected", `Unexpected loop to \`${String(to)}\`, expected an earlier step`) ?? leave(null);
      return leave({ to: target, skip: Array.isArray(skip) ? skip.map(String) : [], ...(compat === "codemachine" ? { kept: true } : {}) });
    }
    default:
      return leave(null);
  }
}

type Held = (why: string, message: string) => Move | undefined;

function rejected({ id, loop }: Step, { refusal }: Frame, held: Held): Move | undefined {
  const { code = "", reason = "" } = refusal ?? {};
  if (code !== "loop_limit" && code !== "loop_stalled") return held("rejected", reason);
  const then = loop?.on_limit ?? "continue";
  if (then === "stop") return { do: "end", outcome: "stopped", step: id, reason: reason.slice(0, 1_000) };
  return then === "hold" ? held("limit", reason) : undefined;
}

function oversight({ oversight: source }: Template, unit: Unit, frame: Frame, step: Step, held: Held): Move | undefined {
  if (frame.oversight === "due") return { do: "oversee", unit, frame, step };
  if (frame.oversight === "failed") return held("oversight", "The oversight that was asked for did not come about");
  const limit = source?.hold_at ?? 0.7;
  return frame.risk >= limit ? held("risk", riskText(frame.risk, limit)) : undefined;
}
