/** The version of the list. A later one only adds codes. */
export const REASONS_VERSION = 2;

/** One reason why a response does not comply. */
export interface Reason {
  /** The version of the list that added it. */
  readonly since: 1 | 2;
  readonly means: string;
}

/**
 * The reasons why a response does not comply, in the order of the checks. Version 1 is the list of spec/000; the list is closed.
 * Your own plugin may vote with its own codes, which begin with its name: `my_plugin.too_long`.
 */
export const REASONS = {
  turn_over: { since: 2, means: "The agent's turn had ended before this response" },
  vote_and_answer: { since: 1, means: "A vote and an answer in one response" },
  vote_no_answers: { since: 1, means: "A vote while nobody has answered" },
  invalid_vote_id: { since: 1, means: "A vote for an agent without an answer" },
  stale_revision: {
    since: 2,
    means: "The agent has not seen an answer that it is compared with; costs no attempt",
  },
  answer_limit: { since: 1, means: "An answer beyond the limit" },
  answer_novelty: { since: 1, means: "An answer too similar to another" },
  answer_duplicate: { since: 1, means: "An answer that already exists" },
  unknown_tool: { since: 1, means: "A call of a tool that does not exist" },
  no_workflow_tool: { since: 1, means: "Calls, but none that ends the turn" },
  no_tool_calls: { since: 1, means: "No call at all" },
} as const satisfies Readonly<Record<string, Reason>>;

/** The code of a reason. */
export type ReasonCode = keyof typeof REASONS;
