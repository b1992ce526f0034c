import type { LogEvent } from "@bylaw/kernel";
import { charsLost, isTurnOver } from "@bylaw/log";

/** What turns of agents came to, counted. A turn goes from the first response to the one that ends it. */
export interface Figures {
  /** Turns that ended: the next three, added. */
  turns: number;
  ok: number;
  non_compliant: number;
  dropped: number;
  /** Turns that were going on when the log ended. */
  running: number;
  /** Turns whose very first response complied, of those that were ok. */
  first_attempt: number;
  /** Calls of a model in turns that ended: responses, but those of a stream that went on. */
  model_calls: number;
  violations: number;
  /** Violations after which the model was called again. */
  restarts: number;
  inline: number;
  chars_lost: number;
  chars_carried: number;
  infrastructure: number;
}

export const noFigures = (): Figures => ({
  ...{
    turns: 0,
    ok: 0,
    non_compliant: 0,
    dropped: 0,
    running: 0,
    first_attempt: 0,
    model_calls: 0,
  },
  ...{ violations: 0, restarts: 0, inline: 0, chars_lost: 0, chars_carried: 0, infrastructure: 0 },
});

export function addFigures(to: Figures, more: Readonly<Figures>): void {
  for (const key of Object.keys(more) as (keyof Figures)[]) to[key] += more[key];
}

/** Follows the turns of one agent in one run. */
export interface TurnCount {
  add(event: LogEvent): void;
  result(): Figures;
}

export function countTurns(): TurnCount {
  const figures = noFigures();
  // Responses and violations of the turn that is going on.
  let responses = 0;
  let violations = 0;
  let calls = 0;
  // Whether the turn before came to nothing, and none has begun since.
  let over = false;

  function end(how: "ok" | "non_compliant" | "dropped"): void {
    figures.turns += 1;
    figures[how] += 1;
    if (how === "ok" && violations === 0) figures.first_attempt += 1;
    figures.model_calls += calls;
    over = how !== "ok";
    responses = 0;
    violations = 0;
    calls = 0;
  }

  return {
    add({ event_type, details }) {
      if (event_type === "response_accepted") {
        responses += 1;
        calls += 1;
        if (details["progress"] !== true) end("ok");
      } else if (event_type === "enforcement") {
        const { buffer_chars, recovery, final } = details;
        const chars = typeof buffer_chars === "number" && buffer_chars > 0 ? buffer_chars : 0;
        const lost = Math.min(chars, charsLost(details));
        figures.violations += 1;
        figures.chars_lost += lost;
        figures.chars_carried += chars - lost;
        if (over && isTurnOver(details)) {
          figures.model_calls += 1;
          return;
        }
        responses += 1;
        violations += 1;
        if (recovery === "inline") figures.inline += 1;
        else calls += 1;
        if (final !== true && recovery !== "inline") figures.restarts += 1;
        if (final === true) end("non_compliant");
      } else if (event_type === "agent_dropped" && !(over && responses === 0)) end("dropped");
      else if (event_type === "round_started") over = false;
      else if (event_type === "infrastructure_event") figures.infrastructure += 1;
    },
    result: () => ({ ...figures, running: responses > 0 ? 1 : 0 }),
  };
}

/** What figures come to for one turn; `null` where no turn ended. */
export interface Rates {
  /** Share of turns that ended well, and that did so at once: from 0 to 1. */
  readonly success: number | null;
  readonly first_attempt: number | null;
  readonly violations_per_100_turns: number | null;
  /** Calls of a model for one turn: 1 where nothing was ever tried again. */
  readonly amplification: number | null;
}

export function ratesOf({
  turns,
  ok,
  first_attempt,
  violations,
  model_calls,
}: Readonly<Figures>): Rates {
  const of = (part: number): number | null =>
    turns === 0 ? null : Number((part / turns).toFixed(4));
  return {
    success: of(ok),
    first_attempt: of(first_attempt),
    violations_per_100_turns: of(100 * violations),
    amplification: of(model_calls),
  };
}
