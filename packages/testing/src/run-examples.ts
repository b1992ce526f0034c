import { BylawError, messageOf, STRICTNESS, type Effect } from "@bylaw/kernel";
import { explainAlone, type Explanation, type Vote } from "./vote-of.ts";
import type { Example, ExampleSet } from "./example.ts";

/** The result of one example. */
export interface ExampleResult {
  readonly example: Example;
  /** The result of the plugin's votes. */
  readonly actual: Effect | "abstain";
  /** The answer of each tap of the hook, including abstentions. */
  readonly taps: Explanation["taps"];
  /** Why the example fails, in one line. Left out if it passes. */
  readonly problem?: string;
}

/** The two functions of a test runner that {@link describeExamples} needs; those of vitest, jest and node:test fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** Runs every example of a set, in order. Does not throw for a failing example; its `problem` says why. */
export async function runExamples(set: ExampleSet): Promise<readonly ExampleResult[]> {
  const results: ExampleResult[] = [];
  for (const example of set.examples) results.push(await runExample(set, example));
  return results;
}

/** Creates one test for each example. A failing one throws BYLAW_EXAMPLE_FAILED. */
export function describeExamples(set: ExampleSet, { describe, it }: TestRunner): void {
  describe(`examples of ${set.plugin}`, () => {
    for (const example of set.examples) {
      it(example.name, async () => {
        const { problem } = await runExample(set, example);
        if (problem !== undefined)
          throw new BylawError({ code: "BYLAW_EXAMPLE_FAILED", message: problem });
      });
    }
  });
}

async function runExample(set: ExampleSet, example: Example): Promise<ExampleResult> {
  try {
    const { decision, taps } = await explainAlone(
      set.create(example.options),
      example.subject,
      example.before,
    );
    const strictest = strictestOf(decision.votes);
    const actual = strictest[0]?.effect ?? "abstain";
    const problem = judge(example, actual, strictest);
    return { example, actual, taps, ...(problem === undefined ? {} : { problem }) };
  } catch (error) {
    return { example, actual: "abstain", taps: [], problem: messageOf(error) };
  }
}

function strictestOf(votes: readonly Vote[]): readonly Vote[] {
  const counted = votes.filter((vote) => vote.shadow !== true && vote.severity !== "warning");
  const effect = counted.reduce<Effect>(
    (strictest, { effect: own }) => (STRICTNESS[own] > STRICTNESS[strictest] ? own : strictest),
    "allow",
  );
  return counted.filter((vote) => vote.effect === effect);
}

function judge(
  { expect, code, rule, tap }: Example,
  actual: Effect | "abstain",
  strictest: readonly Vote[],
): string | undefined {
  // A broken check denies, and must not pass for an expected deny.
  const broken = strictest.find((vote) => vote.code === "check_failed");
  if (broken !== undefined && code !== "check_failed")
    return `${broken.reason}: ${broken.error ?? "no reason given"}`;
  if (actual !== expect) {
    const reasons = strictest.map((vote) => vote.reason).join("; ");
    return `Got ${actual}${reasons === "" ? "" : ` (${reasons})`} instead of ${expect}`;
  }
  const fits = (vote: Vote): boolean =>
    (code === undefined || vote.code === code) &&
    (rule === undefined || vote.rule?.name === rule) &&
    (tap === undefined || vote.tap === tap);
  if (strictest.some(fits) || (code ?? rule ?? tap) === undefined) return undefined;
  const got = strictest.map(
    (vote) => `tap \`${vote.tap}\`, code \`${vote.code}\`, rule \`${vote.rule?.name ?? ""}\``,
  );
  return `Got ${got.join("; ") || "an abstention"} instead of ${wanted({ code, rule, tap })}`;
}

function wanted(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} \`${value}\``]))
    .join(", ");
}
