import type { Response } from "@bylaw/kernel";
import { aliasOf, type Answer } from "@bylaw/consensus";
import type { Fault } from "./fault.ts";
import type { ReasonsOptions } from "./options.ts";
import { isTooSimilar, overlapOf, wordsOf } from "./similarity.ts";
import type { ResponseContext } from "./response-context.ts";
import { withoutWorkspaces } from "./workspace-paths.ts";

/** The share of words that two answers may have in common, in percent. */
const PERCENT = { lenient: undefined, balanced: 70, strict: 50 } as const;

/** Judges an answer: first the limit, then what the agent must have seen, then how new it is. */
export function answerFault(
  content: string,
  { host }: Response,
  standing: ResponseContext,
  { novelty, own_answer }: ReasonsOptions,
  required: string,
  stale: Fault | undefined,
): Fault | undefined {
  const { agent, consensus, vote_only, answered } = standing;
  if (vote_only) {
    const { max_answers_per_agent: each } = consensus.terms;
    const spent =
      each !== null && answered >= each
        ? `Gave ${answered} of ${each} answers`
        : "All agents together gave every answer they may";
    return { code: "answer_limit", line: `${spent}. Required: ${required}` };
  }
  if (stale !== undefined) return stale;
  const others =
    own_answer === "compare"
      ? consensus.answers
      : consensus.answers.filter((answer) => answer.agent !== agent);
  const percent = PERCENT[novelty];
  const similar = percent === undefined ? undefined : similarTo(content, others, percent);
  const name = (answer: Answer): string =>
    answer.agent === agent ? "this agent" : (aliasOf(consensus, answer.agent) ?? answer.agent);
  if (similar !== undefined) {
    const line = `Answer shares over ${percent}% of its words with the one of ${name(similar)}. Required: ${required}, with something new`;
    return {
      code: "answer_novelty",
      line,
      message: `${line}. Bring another approach, other tools or other findings, or vote for an answer that is there.`,
    };
  }
  const own = host?.["workspace"];
  const folders = [
    typeof own === "string" ? own : undefined,
    ...consensus.answers.map(({ workspace }) => workspace),
  ];
  const plain = withoutWorkspaces(content, folders);
  // Repeating an answer, even one's own, adds nothing and would clear every vote.
  const same = consensus.answers.find(
    (answer) => withoutWorkspaces(answer.content, folders) === plain,
  );
  if (same === undefined) return undefined;
  return {
    code: "answer_duplicate",
    line: `Answer already provided by ${name(same)}. Required: a different one, or a vote`,
  };
}

function similarTo(
  content: string,
  others: readonly Answer[],
  percent: number,
): Answer | undefined {
  if (others.length === 0) return undefined;
  const own = wordsOf(content);
  return others.find((answer) => isTooSimilar(overlapOf(own, wordsIn(answer)), percent));
}

// Recorded answers do not change, and are compared with every later answer.
const words = new WeakMap<Answer, ReadonlySet<string>>();

function wordsIn(answer: Answer): ReadonlySet<string> {
  const known = words.get(answer);
  if (known !== undefined) return known;
  const found = wordsOf(answer.content);
  words.set(answer, found);
  return found;
}
