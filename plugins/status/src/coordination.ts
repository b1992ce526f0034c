import type { LogEvent } from "@bylaw/kernel";
import type { AgentFold } from "./agent.ts";
import { objectFrom, firstCharacters, textOf } from "./reading.ts";
import type { Status } from "./schema.ts";

/** Follows answers, votes and the winner among agents. */
export interface CoordinationFold {
  add(event: LogEvent, agent: AgentFold | undefined): void;
  readonly winner: string | null;
  /** Whether the run has a consensus. */
  readonly begun: boolean;
  phase(): NonNullable<Status["coordination"]["phase"]>;
  /** Answers and votes for each agent once, in percent. */
  percentage(agents: number): number;
  results(): Status["results"];
}

const REASON = 100;
const ANSWER = 200;

export function createCoordination(): CoordinationFold {
  const answered = new Set<AgentFold>();
  const voters = new Set<AgentFold>();
  let voted = false;
  let presenting = false;
  let opened = false;
  let winner: string | null = null;
  let final: string | null = null;

  return {
    add({ event_type, details }, agent) {
      if (event_type === "consensus_opened") opened = true;
      else if (event_type === "winner_selected") {
        winner = textOf(details["agent"]) ?? null;
        final = firstCharacters(textOf(details["preview"]) ?? "", ANSWER) || null;
        presenting = true;
      } else if (event_type === "answer_accepted" && agent !== undefined) {
        agent.answers.count += 1;
        agent.answers.label = textOf(details["label"]) ?? null;
        answered.add(agent);
        // Who voted had not seen this answer.
        for (const voter of voters) voter.vote = null;
        voters.clear();
      } else if (event_type === "vote_accepted" && agent !== undefined) {
        agent.vote = {
          voted_for_agent: textOf(details["voted_for"]) ?? "",
          voted_for_label: textOf(details["label"]) ?? null,
          reason_preview: firstCharacters(textOf(details["reason_preview"]) ?? "", REASON),
        };
        voters.add(agent);
        voted = true;
      } else if (event_type === "vote_ignored" && agent !== undefined) {
        agent.vote = null;
        voters.delete(agent);
      }
    },
    get begun() {
      return opened || presenting || voted || answered.size > 0;
    },
    get winner() {
      return winner;
    },
    phase: () => (presenting ? "presentation" : voted ? "voting" : "initial_answer"),
    percentage: (agents) =>
      agents === 0
        ? 0
        : Math.min(100, Math.floor((100 * (answered.size + voters.size)) / (2 * agents))),
    results() {
      const votes = new Map<string, number>();
      for (const { vote } of voters) {
        const label = vote?.voted_for_label ?? vote?.voted_for_agent ?? "";
        votes.set(label, (votes.get(label) ?? 0) + 1);
      }
      return { votes: objectFrom(votes), winner, final_answer_preview: final };
    },
  };
}
