import type { AskOptions, Session } from "./session.ts";
import type { Conclusion, ConsensusState, ShownAnswers } from "./consensus-types.ts";
import type { ConcludedAnswer, ResponseAnswer } from "./types.ts";

/** Lets an agent answer and vote until all agree. Needs a server with `--consensus`. */
export class AgentConsensus {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The state of the consensus, and what this agent may do now. */
  state(options: AskOptions = {}): Promise<ConsensusState> {
    return this.#session.get<ConsensusState>("consensus", "/consensus", options);
  }

  /** The current answers of others, for the prompt. A vote counts only for an answer that was shown. */
  show(options: AskOptions = {}): Promise<ShownAnswers> {
    return this.#session.send<ShownAnswers>("show", "/consensus/show", {}, options);
  }

  /** Submits an answer, or a better one in place of the agent's last. */
  answer(content: string, options: AskOptions = {}): Promise<ConcludedAnswer> {
    const body = { content };
    return this.#session.send<ConcludedAnswer>("answer", "/consensus/answer", body, options);
  }

  /** Votes for the answer of an agent, by its alias. */
  vote(
    agent_id: string,
    options: AskOptions & { readonly reason?: string } = {},
  ): Promise<ConcludedAnswer> {
    const { reason, ...asked } = options;
    const body = { agent_id, reason };
    return this.#session.send<ConcludedAnswer>("vote", "/consensus/vote", body, asked);
  }

  /** Records the outcome of a response that `respond` accepted; `null` if it was neither an answer nor a vote. */
  async conclude(
    { sequence }: Pick<ResponseAnswer, "sequence">,
    options: AskOptions = {},
  ): Promise<Conclusion | null> {
    if (sequence === null) return null;
    const path = "/consensus/conclude";
    type Answer = { readonly conclusion: Conclusion | null };
    return (await this.#session.send<Answer>("conclude", path, { sequence }, options)).conclusion;
  }

  /** Begins the next round of this agent, whose turn ended well; resolves to its number. */
  async round(options: AskOptions = {}): Promise<number> {
    type Answer = { readonly round: number };
    return (await this.#session.send<Answer>("round", "/consensus/round", {}, options)).round;
  }
}
