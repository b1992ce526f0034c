import type { LogEvent } from "@bylaw/kernel";
import type { AgentFold } from "./agent.ts";
import { objectFrom, firstCharacters, textOf } from "./reading.ts";
import type { Status } from "./schema.ts";

const REASON = 100;
const ANSWER = 200;

/** Follows the answers, votes and winner of a consensus. */
export class CoordinationFold {
  readonly #answered = new Set<AgentFold>();
  readonly #voters = new Set<AgentFold>();
  #voted = false;
  #presenting = false;
  #opened = false;
  #winner: string | null = null;
  #final: string | null = null;

  /** Whether the run has a consensus. */
  get begun(): boolean {
    return this.#opened || this.#presenting || this.#voted || this.#answered.size > 0;
  }

  get phase(): NonNullable<Status["coordination"]["phase"]> {
    return this.#presenting ? "presentation" : this.#voted ? "voting" : "initial_answer";
  }

  add({ event_type, details }: LogEvent, agent: AgentFold | undefined): void {
    if (event_type === "consensus_opened") this.#opened = true;
    else if (event_type === "winner_selected") {
      this.#winner = textOf(details["agent"]) ?? null;
      this.#final = firstCharacters(textOf(details["preview"]) ?? "", ANSWER) || null;
      this.#presenting = true;
    } else if (event_type === "answer_accepted" && agent !== undefined) {
      agent.answers.count += 1;
      agent.answers.label = textOf(details["label"]) ?? null;
      this.#answered.add(agent);
      // The voters have not seen this answer.
      for (const voter of this.#voters) voter.vote = null;
      this.#voters.clear();
    } else if (event_type === "vote_accepted" && agent !== undefined) {
      agent.vote = {
        voted_for_agent: textOf(details["voted_for"]) ?? "",
        voted_for_label: textOf(details["label"]) ?? null,
        reason_preview: firstCharacters(textOf(details["reason_preview"]) ?? "", REASON),
      };
      this.#voters.add(agent);
      this.#voted = true;
    } else if (event_type === "vote_ignored" && agent !== undefined) {
      agent.vote = null;
      this.#voters.delete(agent);
    }
  }

  /** The share of answers and votes that exist, one of each per agent, in percent. */
  percentage(agents: number): number {
    const done = this.#answered.size + this.#voters.size;
    return agents === 0 ? 0 : Math.min(100, Math.floor((100 * done) / (2 * agents)));
  }

  results(): Status["results"] {
    const votes = new Map<string, number>();
    for (const { vote } of this.#voters) {
      const label = vote?.voted_for_label ?? vote?.voted_for_agent ?? "";
      votes.set(label, (votes.get(label) ?? 0) + 1);
    }
    const final_answer_preview = this.#final;
    return { votes: objectFrom(votes), winner: this.#winner, final_answer_preview };
  }
}
