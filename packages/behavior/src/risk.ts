/** The risk of a text of advice. */
export interface RiskScore {
  /** From 0 (calm) to 1. */
  readonly risk: number;
  readonly band: "low" | "medium" | "high";
  readonly traits: readonly string[];
}

/** Scores the words of an oversight's advice. Pure. */
export type RiskScorer = (advice: string) => RiskScore;

/**
 * Words and their effect, in hundredths. Each group counts once. A word also counts inside another: `incorrect` counts as wrong and
 * as correct.
 */
const WORDS: readonly (readonly [effect: number, words: readonly string[]])[] = [
  [30, ["wrong", "incorrect", "misaligned"]],
  [20, ["problem", "issue", "concern"]],
  [15, ["complex", "over-engineered"]],
  [10, ["assumption", "unclear"]],
  [-10, ["good", "correct", "aligned"]],
  [-5, ["continue", "proceed"]],
];

const TRAITS: readonly (readonly [trait: string, test: (advice: string) => boolean])[] = [
  ["Complex Solution Bias", (advice) => has(advice, "complex", "over-engineered")],
  ["Feature Creep", (advice) => has(advice, "feature") && has(advice, "creep")],
  ["Premature Implementation", (advice) => has(advice, "premature", "too quick")],
  ["Misalignment", (advice) => has(advice, "misaligned", "wrong direction")],
  ["Overtooling", (advice) => has(advice, "too many tools", "unnecessary")],
];

const has = (advice: string, ...words: readonly string[]): boolean =>
  words.some((word) => advice.includes(word));

/**
 * Radium's scorer. It counts words in the reviewer's prose, not what the agent did. Empty advice is `medium`. It adds hundredths to
 * avoid rounding errors.
 */
export function radiumKeywords(advice: string): RiskScore {
  const text = advice.toLowerCase();
  const sum = WORDS.reduce(
    (total, [effect, words]) => (has(text, ...words) ? total + effect : total),
    30,
  );
  const risk = Math.min(100, Math.max(0, sum)) / 100;
  return {
    risk,
    band: riskBand(risk),
    traits: TRAITS.filter(([, test]) => test(text)).map(([trait]) => trait),
  };
}

/** The band of a risk: low below 0.3, medium below 0.7, else high. */
export const riskBand = (risk: number): RiskScore["band"] =>
  risk < 0.3 ? "low" : risk < 0.7 ? "medium" : "high";
