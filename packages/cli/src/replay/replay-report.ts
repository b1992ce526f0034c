import { summaryText, type ReplaySummary } from "@bylaw/dashboard";
import type { Json } from "@bylaw/kernel";
import type { Recorded } from "./recorded-call.ts";
import { ruleOf } from "../decide/rule-text.ts";
import { effectText, plain, short, type Paint } from "../io/text.ts";

/** A decision that the candidate changes. */
export interface Flip {
  readonly line: number;
  /** The sequence of the event, or the id of the call. */
  readonly sequence?: number | string;
  readonly tool: string;
  readonly args: Json;
  readonly recorded: Recorded;
  readonly candidate: Recorded;
}

const STRICTNESS = ["allow", "ask_user", "deny"];

/** Whether a call is treated less strictly than before. */
export const loosens = ({ recorded, candidate }: Flip): boolean =>
  STRICTNESS.indexOf(candidate.effect) < STRICTNESS.indexOf(recorded.effect);

/** A call that cannot be decided again. */
export interface NotReplayable {
  readonly line: number;
  readonly sequence?: number | string;
  readonly why: string;
}

/** Prints one flip in two lines. */
export function flipText(
  { line, sequence, tool, args, recorded, candidate }: Flip,
  paint: Paint,
): string {
  const head = `${effectText(recorded.effect, paint)} → ${effectText(candidate.effect, paint)} ${paint("dim", positionOf(line, sequence))} ${paint("bold", short(tool, 60))} ${short(JSON.stringify(args), 100)}`;
  return `${head}\n  ${byText(recorded)} → ${byText(candidate)}`;
}

/** Prints a call that cannot be decided again, in one line. */
export const notReplayableText = ({ line, sequence, why }: NotReplayable, paint: Paint): string =>
  `${paint("yellow", "not replayable")} ${paint("dim", positionOf(line, sequence))} ${plain(why)}`;

const positionOf = (line: number, sequence: number | string | undefined): string =>
  sequence === undefined
    ? `line ${line}`
    : typeof sequence === "number"
      ? `#${sequence}`
      : short(sequence, 40);

const byText = ({ rule, code }: Recorded): string =>
  rule === undefined ? plain(code ?? "no rule") : ruleOf({ rule });

/** Counts results in constant memory. */
export interface ReplayCount {
  add(result: Flip | NotReplayable | "same" | "no call"): void;
  summary(): ReplaySummary;
  /** How many calls are treated less strictly. */
  looser(): number;
  text(): string;
}

export function createReplayCount(noun = "call"): ReplayCount {
  const kinds = new Map<string, number>();
  let calls = 0;
  let same = 0;
  let flips = 0;
  let lost = 0;
  let looser = 0;
  const summary = (): ReplaySummary => ({
    ...{ calls, same, flips, not_replayable: lost },
    by_kind: Object.fromEntries([...kinds].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  });
  return {
    add(result) {
      if (result === "no call") return;
      calls++;
      if (result === "same") same++;
      else if ("why" in result) lost++;
      else {
        flips++;
        if (loosens(result)) looser++;
        const kind = `${result.recorded.effect} → ${result.candidate.effect}`;
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
    },
    summary,
    looser: () => looser,
    text: () => summaryText(summary(), noun),
  };
}
