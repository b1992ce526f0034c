import type { LogEvent } from "@bylaw/kernel";
import { lostCharacters, isTurnOver } from "@bylaw/log";

/** Counts over the turns of agents. A turn lasts from its first response to the response that ends it. */
export interface Figures {
  /** Turns that ended: the sum of the next three. */
  turns: number;
  ok: number;
  non_compliant: number;
  dropped: number;
  /** Turns that had not ended when the log ended. */
  running: number;
  /** The turns among `ok` whose first response complied. */
  first_attempt: number;
  /** Model calls in turns that ended. Responses that continue a stream do not count. */
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

/** Counts the turns of one agent in one run. */
export interface TurnCount {
  add(event: LogEvent): void;
  result(): Figures;
}

export function countTurns(): TurnCount {
  const figures = noFigures();
  // Counts for the turn in progress.
  let responses = 0;
  let violations = 0;
  let calls = 0;
  // Whether the last turn failed and no new turn has begun.
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
        const lost = Math.min(chars, lostCharacters(details));
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

/** Figures per turn. Null if no turn ended. */
export interface Rates {
  /** The share of turns that ended well, from 0 to 1. `first_attempt` is the share that did so at once. */
  readonly success: number | null;
  readonly first_attempt: number | null;
  readonly violations_per_100_turns: number | null;
  /** Model calls per turn. 1 means that nothing was tried again. */
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
