/** The outcome of an accepted response. `ignored`: newer answers arrived first, so read them and answer in a new round. */
export type Conclusion =
  | { readonly kind: "answer"; readonly label: string }
  | { readonly kind: "vote"; readonly label: string }
  | { readonly kind: "ignored"; readonly reason: string };

/** An answer of an agent. */
export interface ShownAnswer {
  readonly alias: string;
  /** Alias and revision: `agent2.1`. */
  readonly label: string;
  readonly revision: number;
  readonly content: string;
}

/** The current answers of others, the newest first, and which of them are new to the agent. */
export interface ShownAnswers {
  readonly answers: readonly ShownAnswer[];
  readonly unseen: readonly string[];
}

/** The agents of a consensus and its rules. */
export interface ConsensusTerms {
  readonly agents: readonly string[];
  readonly max_answers_per_agent?: number | null;
  readonly max_answers_global?: number | null;
  /** Whether voting waits until every agent that still takes part has answered. */
  readonly defer_voting?: boolean;
  /** What an agent must not do before it has seen every answer: vote, or end its turn at all. */
  readonly fairness?: "votes" | "turns";
}

/** The state of a consensus, as far as its caller may see it. */
export interface ConsensusState {
  readonly open: boolean;
  readonly agents: readonly {
    /** Only for operators. */
    readonly agent_id?: string;
    readonly alias: string;
    readonly round: number;
    readonly outcome: "ok" | "non_compliant" | "dropped" | null;
    /** Its current answer. */
    readonly label: string | null;
  }[];
  /** Votes that count, by answer. Agents see them when a winner is selected. */
  readonly tally: Readonly<Record<string, number>>;
  readonly winner: ShownAnswer | null;
  /** Only for an agent. */
  readonly you?: {
    readonly alias: string | null;
    readonly round: number;
    readonly attempts: number;
    readonly may: "work" | "vote_only" | "wait" | "out";
    /** The tools that may end its turn now. */
    readonly tools: readonly string[];
    readonly candidates: readonly string[];
    readonly unseen: readonly string[];
  };
}
