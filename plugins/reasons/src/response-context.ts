import {
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
  type Response,
  type View,
} from "@bylaw/kernel";
import { agentTurns, turnOf, type AgentTurn } from "@bylaw/log";
import { defersVoting, consensusState, type Consensus } from "@bylaw/consensus";

/** The facts besides the response by which it is judged. */
export interface ResponseContext {
  readonly agent: string;
  readonly turn: AgentTurn;
  readonly consensus: Consensus;
  /** The number of the agent's own earlier answers, all revisions included. */
  readonly answered: number;
  /** Whether the agent, or all of them, may give no more answers. */
  readonly vote_only: boolean;
  /** Whether nobody may vote yet. */
  readonly deferred: boolean;
}

/**
 * In a run, the log has the answers and what was shown, whatever the host adds. Without a run, or without a plugin that records
 * answers, `host.consensus` of the subject has them: {agents?, answers?: [{agent, content, revision?, workspace?}], shown?: {agent:
 * revision}, max_answers_per_agent?, max_answers_global?, fairness?}. Throws if that is malformed.
 */
export function responseContext(
  { agent = "", host }: Response,
  view: View,
  recorded: boolean,
): ResponseContext {
  const stated = view.empty === true || !recorded ? host?.["consensus"] : undefined;
  const consensus = stated === undefined ? view(consensusState) : consensusFrom(stated, agent);
  const answered = consensus.answers.find((answer) => answer.agent === agent)?.revision ?? 0;
  const { max_answers_per_agent: each, max_answers_global: all } = consensus.terms;
  const vote_only = (each !== null && answered >= each) || (all !== null && consensus.given >= all);
  const turns = view(agentTurns);
  return {
    agent,
    turn: turnOf(turns, agent),
    consensus,
    answered,
    vote_only,
    deferred: defersVoting(consensus, turns),
  };
}

// A host's facts are folded like recorded ones, so that both are read the same way.
function consensusFrom(stated: Json, viewer: string): Consensus {
  if (!isJsonObject(stated)) throw misfit("an object");
  const { agents = [], answers = [], shown, ...terms } = stated;
  if (!Array.isArray(answers) || !Array.isArray(agents))
    throw misfit("lists in `agents` and `answers`");
  const given = (answers as readonly Json[]).map((answer) => {
    const {
      agent,
      content,
      revision = 1,
      workspace = null,
    }: JsonObject = isJsonObject(answer) ? answer : {};
    if (typeof agent !== "string" || typeof content !== "string" || typeof revision !== "number")
      throw misfit("answers with `agent` and `content`");
    return { agent, content, revision, workspace };
  });
  const all = new Set([
    ...(agents as readonly Json[]).map(String),
    ...given.map(({ agent }) => agent),
    viewer,
  ]);
  all.delete("");
  const seen = isJsonObject(shown)
    ? Object.entries(shown).map(([agent, revision]): JsonObject => ({ agent, revision }))
    : given;
  const events: readonly (readonly [type: string, agent: string | null, details: JsonObject])[] = [
    ["consensus_opened", null, { ...terms, agents: [...all] }],
    ...given.flatMap(({ agent, content, revision, workspace }) => [
      ["response_accepted", agent, { terminal: { kind: "answer", content } }] as const,
      [
        "answer_accepted",
        agent,
        { label: `${agent}.${revision}`, revision, sha256: "", workspace },
      ] as const,
    ]),
    ["answers_shown", viewer, { answers: seen }],
  ];
  return events.reduce(
    (state, [event_type, agent_id, details]) =>
      consensusState.reduce(state, eventOf(event_type, agent_id, details)),
    consensusState.initial,
  );
}

const eventOf = (event_type: string, agent_id: string | null, details: JsonObject): LogEvent => ({
  ...{ timestamp: "1970-01-01T00:00:00.000Z", sequence: 1, session_id: "", event_type, agent_id },
  ...{ task_id: null, details },
});

const misfit = (wanted: string): Error => new Error(`\`host.consensus\` must be ${wanted}`);
