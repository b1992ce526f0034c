import type { Response } from "@bylaw/kernel";
import { aliasOf, agentByName, isTimeOver, labelOf, unseenAnswers } from "@bylaw/consensus";
import type { Fault } from "./fault.ts";
import type { ReasonsOptions } from "./options.ts";
import type { ResponseContext } from "./response-context.ts";
import { either, given, listed, shown } from "./words.ts";

/** Judges a vote: there must be an answer, the vote must name an agent that answered, and the voter must have seen all answers. */
export function voteFault(
  target: string,
  response: Response,
  standing: ResponseContext,
  required: string,
  { workflow_tools, fields }: ReasonsOptions,
): Fault | undefined {
  const { consensus } = standing;
  if (consensus.answers.length === 0) {
    const answers = Object.keys(workflow_tools).filter((tool) => workflow_tools[tool] === "answer");
    return {
      code: "vote_no_answers",
      line: `Cannot vote when no answers exist. Use ${either(answers.map(given)) || required} tool.`,
    };
  }
  if (standing.deferred) {
    const votes = Object.keys(workflow_tools).filter((tool) => workflow_tools[tool] === "vote");
    const next = standing.vote_only ? "nothing before that" : required;
    return {
      code: "no_workflow_tool",
      line: `Called ${listed(votes)} before every agent has answered. Required: ${next}`,
    };
  }
  const voted = agentByName(consensus, target);
  if (!consensus.answers.some(({ agent }) => agent === voted)) {
    const valid = consensus.agents.filter((agent) =>
      consensus.answers.some((answer) => answer.agent === agent),
    );
    const aliases = valid.map((agent) => aliasOf(consensus, agent) ?? agent);
    return {
      code: "invalid_vote_id",
      line: `Invalid ${fields.vote} '${shown(target)}'. Valid agents: ${aliases.join(", ")}`,
    };
  }
  return staleness(response, standing);
}

/** The fault of an agent that has not seen every current answer, unless its time is over. */
export function staleness(
  { round = 1, at }: Response,
  { agent, consensus, turn }: ResponseContext,
): Fault | undefined {
  const unseen = unseenAnswers(consensus, agent);
  if (unseen.length === 0 || isTimeOver(consensus, agent, Math.max(round, turn.round), at))
    return undefined;
  const labels = listed(unseen.map((answer) => labelOf(consensus, answer.agent, answer.revision)));
  return {
    code: "stale_revision",
    line: `Decided without ${labels}. Required: a look at every current answer`,
  };
}
