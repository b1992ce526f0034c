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
