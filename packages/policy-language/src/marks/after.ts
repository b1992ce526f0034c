import type { Verdict } from "@bylaw/kernel";
import type { RuleSource } from "../compile/written-rule.ts";
import { ruleVerdict } from "../compile/rule-verdict.ts";
import { quote } from "../load/finding.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { keysOf, type MarkReference } from "./mark-reference.ts";
import type { MarkEntry, MarkState } from "./mark-state.ts";
import { earlierMarksOf } from "./earlier-marks.ts";

/** A part of a rule: its `after` or its `unless_after`. */
interface PastPart {
  readonly key: "after" | "unless_after";
  holds(facts: CallFacts): boolean;
}

/** Compiles the `after` and `unless_after` of a rule. */
export function pastParts({ after, unless_after, effect, file }: RuleSource): readonly PastPart[] {
  const allow = effect === "allow";
  return [
    ...(after === undefined
      ? []
      : [{ key: "after" as const, holds: allow ? isSure(after, file) : mayBe(after, file) }]),
    ...(unless_after === undefined
      ? []
      : [{ key: "unless_after" as const, holds: unless(unless_after, file, allow) }]),
  ];
}

type Holds = PastPart["holds"];

function mayBe(reference: MarkReference, file: string): Holds {
  const keys = keysOf(reference, file);
  return (facts) => earlierMarksOf(facts)?.mayBe(keys, reference, facts) === true;
}

function isSure(reference: MarkReference, file: string): Holds {
  const keys = keysOf(reference, file);
  return (facts) => earlierMarksOf(facts)?.isSure(keys, reference) === true;
}

// Without a run, nothing proves that the mark is unset, so an `unless_after` of an allow fails.
function unless(reference: MarkReference, file: string, allow: boolean): Holds {
  const holds = allow ? mayBe(reference, file) : isSure(reference, file);
  return (facts) => (!allow || earlierMarksOf(facts)?.recorded === true) && !holds(facts);
}

interface Answer {
  readonly entry: MarkEntry | undefined;
  readonly text: string;
  readonly verdicts: readonly Verdict[];
}

/**
 * Makes the verdicts of a rule with `after` or `unless_after`; their reason names the event that set, or cleared, the
 * mark. The same event gives the same verdict object.
 */
export function pastAnswer(source: RuleSource): (facts: CallFacts) => readonly Verdict[] {
  const sight = sightOf(source);
  let last: Answer | undefined;
  return (facts) => {
    const { entry, text: tell } = sight(facts);
    if (last !== undefined && entry !== undefined && last.entry === entry) return last.verdicts;
    const text = tell();
    if (last?.text === text) return last.verdicts;
    const said = ruleVerdict(source).reason;
    const reason = `${said}${/[.!?]$/.test(said) ? "" : "."} ${text[0]?.toUpperCase()}${text.slice(1)}.`;
    last = { entry, text, verdicts: [ruleVerdict({ ...source, reason })] };
    return last.verdicts;
  };
}

/** What a rule found out about its marks, and the event that shows it. */
interface Sight {
  readonly entry?: MarkEntry | undefined;
  readonly text: () => string;
}

function sightOf({ after, unless_after, file, effect }: RuleSource): (facts: CallFacts) => Sight {
  const reference = after ?? unless_after;
  const keys = reference === undefined ? [] : keysOf(reference, file);
  const wantsSure = (after === undefined) === (effect !== "allow");
  return (facts) => {
    const past = earlierMarksOf(facts);
    if (past?.recorded !== true || reference === undefined)
      return { text: () => "this call is not part of a recorded run" };
    const seen = past
      .statesOf(keys)
      .map((state, at) => sightOfMark(quote(reference.marks[at] ?? ""), state, wantsSure));
    const shown = seen.find(({ entry }) => entry !== undefined) ?? seen[0];
    if (shown?.entry === undefined && after !== undefined && effect !== "allow")
      return { text: () => `another command of this line sets ${quote(after.marks[0] ?? "")}` };
    return shown ?? { text: () => "" };
  };
}

function sightOfMark(name: string, state: MarkState | undefined, wantsSure: boolean): Sight {
  const about = (entry: MarkEntry | undefined, text: string): Sight | undefined =>
    entry === undefined ? undefined : { entry, text: () => `${name} ${text} ${eventText(entry)}` };
  return (
    about((wantsSure ? state?.sure : state?.may)?.at(-1), "was set by") ??
    about(wantsSure ? state?.waiting.at(-1) : undefined, "waits for the result of") ??
    about(state?.cleared, "was cleared by") ?? { text: () => `no call has set ${name}` }
  );
}

/** Describes what the rule found out about its marks. */
export const pastText = (source: RuleSource, facts: CallFacts): string =>
  sightOf(source)(facts).text();

/** Describes an `after` or `unless_after`: the marks, how often, and within how many seconds. */
export const referenceText = (reference: MarkReference | undefined): string => {
  const { marks = [], times = 1, within } = reference ?? {};
  const often = times === 1 ? "" : ` ${times} times`;
  return `${marks.map(quote).join(" or ")}${often}${within === undefined ? "" : ` within ${within / 1_000} s`}`;
};

const eventText = ({ event, at, call }: MarkEntry): string =>
  `event ${event} (${quote(call)}, ${new Date(at).toISOString()})`;
