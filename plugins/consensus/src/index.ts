export { conclude, openConsensus, selectWinner, showAnswers, type Conclusion } from "./conclude.ts";
export { consensus } from "./consensus.ts";
export { isDenialLoop } from "./round-time.ts";
export {
  candidates,
  isVotingDeferred,
  pendingAnswers,
  allowedTurn as standingOf,
  tally,
  winnerIn,
  workflowTools,
  type AllowedTurn as Standing,
} from "./allowed-turn.ts";
export { CONSENSUS_EVENTS as EVENT_TYPES } from "./events.ts";
export {
  TIME_OVER,
  consensusState,
  type Answer,
  type Consensus,
  type ConsensusTerms,
  type Vote,
} from "./state/consensus.ts";
export {
  agentNamed,
  aliasOf,
  defersVoting,
  deniedCalls,
  isOut,
  isTimeOver,
  labelOf,
  unseenBy,
} from "./state/facts.ts";
export type { Terminal } from "./state/terminal.ts";
