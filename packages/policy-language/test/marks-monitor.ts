/** One event of a generated history, `seconds` after the previous event. */
export interface Step {
  readonly kind: "allowed" | "asked" | "denied" | "result" | "cleared";
  readonly tool: string;
  readonly id: string;
  readonly ok: boolean;
  readonly reported: boolean;
  readonly seconds: number;
}

const SETS: Readonly<Record<string, readonly string[]>> = {
  ...{ a: ["a"], b: ["b"], ab: ["a", "b"], ok: ["ok"], c: ["c"] },
};
/** Tools whose mark depends on the result, or clears another mark. */
const NEEDS: ReadonlySet<string> = new Set(["a", "b", "ab", "ok"]);
const CLEARED_BY: Readonly<Record<string, string>> = { ok: "a", c: "b" };

/** A call of the history with its outcome, computed by looking at the whole history. */
interface Call {
  readonly at: number;
  readonly marks: readonly string[];
  /** The event at which it ran: its own event if it was allowed. */
  readonly ran: number;
  /** Whether it certainly ran. */
  readonly certain: boolean;
  /** The event of its result. */
  readonly result: number | undefined;
  /** Whether the result was good, as the host saw it. */
  readonly seen: boolean | undefined;
}

/** The next event with the same id: another decision, or the result. */
const nextOf = (step: Step, at: number, steps: readonly Step[]): number =>
  steps.findIndex(
    (other, place) =>
      place > at &&
      other.id === step.id &&
      (other.kind === "allowed" ||
        other.kind === "asked" ||
        (other.kind === "result" && other.tool === step.tool)),
  );

const needsResult = ({ kind, tool }: Step): boolean =>
  kind === "asked" ? SETS[tool] !== undefined : kind === "allowed" && NEEDS.has(tool);

/** Whether the result of a different call may come under this id. The same call again is the answer to the question. */
const isShared = (step: Step, at: number, steps: readonly Step[]): boolean =>
  steps.some(
    (other, place) =>
      place < at &&
      needsResult(other) &&
      nextOf(other, place, steps) === at &&
      !(other.kind === "asked" && other.tool === step.tool),
  );

// Follows the definition in docs/decisions/0064 literally.
function callsOf(steps: readonly Step[]): readonly Call[] {
  return steps.flatMap((step, at): readonly Call[] => {
    const marks = SETS[step.tool];
    if (marks === undefined || (step.kind !== "allowed" && step.kind !== "asked")) return [];
    const asked = step.kind === "asked";
    const needs = asked || marks.some((name) => name === "ok" || name === "a" || name === "b");
    const next = nextOf(step, at, steps);
    const end = steps[next];
    const isResult = end?.kind === "result";
    const result = isResult && needs ? next : undefined;
    const word = (end?.reported ?? false) || isShared(step, at, steps);
    const seen = result === undefined || end === undefined || word ? undefined : end.ok;
    if (!asked) return [{ at, marks, ran: at, certain: true, result, seen }];
    if (isResult) return [{ at, marks, ran: next, certain: !word, result, seen }];
    // The same call again is the answer. A different call leaves open whether the first one ran.
    return end === undefined || end.tool === step.tool
      ? []
      : [{ at, marks, ran: next, certain: false, result: undefined, seen: undefined }];
  });
}

interface Moment {
  readonly at: number;
  /** Of two changes at one event, the lower order comes first. */
  readonly order: number;
}

const later = (one: Moment, other: Moment): boolean =>
  one.at > other.at || (one.at === other.at && one.order > other.order);

/** The events at which a mark may have been set and has not certainly been cleared since. */
function possible(mark: string, steps: readonly Step[]): readonly number[] {
  const calls = callsOf(steps);
  const clears: Moment[] = [
    ...steps.flatMap(({ kind, tool }, at) =>
      kind === "cleared" && tool === mark ? [{ at, order: 1 }] : [],
    ),
    ...calls
      .filter(({ certain, marks }) => certain && marks.includes(CLEARED_BY[mark] ?? ""))
      .map(({ ran }) => ({ at: ran, order: 0 })),
  ];
  return calls
    .filter(({ marks, seen }) => marks.includes(mark) && !(mark === "ok" && seen === false))
    .filter(({ ran }) => !clears.some((clear) => later(clear, { at: ran, order: 0 })))
    .map(({ ran }) => ran);
}

/** The events at which a mark was certainly set and cannot have been cleared since. */
function certain(mark: string, steps: readonly Step[]): readonly number[] {
  const calls = callsOf(steps);
  const clears: Moment[] = [
    ...steps.flatMap(({ kind, tool }, at) =>
      kind === "cleared" && tool === mark ? [{ at, order: 2 }] : [],
    ),
    ...calls
      .filter(({ marks }) => marks.includes(CLEARED_BY[mark] ?? ""))
      .flatMap(({ ran, result }) => [
        { at: ran, order: 1 },
        ...(result === undefined ? [] : [{ at: result, order: 1 }]),
      ]),
  ];
  return calls
    .filter(
      (call) => call.marks.includes(mark) && call.certain && (mark !== "ok" || call.seen === true),
    )
    .filter(({ ran }) => !clears.some((clear) => later(clear, { at: ran, order: 0 })))
    .map(({ ran }) => ran);
}

/** Whether a rule holds after a history. */
export function monitor(rule: string, steps: readonly Step[]): boolean {
  const times = steps.map((_, at) =>
    steps.slice(0, at + 1).reduce((sum, { seconds }) => sum + seconds, 0),
  );
  const now = times.at(-1) ?? 0;
  switch (rule) {
    case "after-a":
      return possible("a", steps).length > 0;
    case "after-c":
      return possible("c", steps).filter((at) => now - (times[at] ?? 0) <= 10).length >= 2;
    case "unless-ok":
      return certain("ok", steps).length === 0;
    case "allow-after-c":
      return certain("c", steps).length > 0;
    default:
      return possible("b", steps).length === 0 && possible("ok", steps).length === 0;
  }
}
