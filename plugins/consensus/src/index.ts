export {
  recordResponse,
  openConsensus,
  selectWinner,
  showAnswers,
  type Conclusion,
} from "./record-response.ts";
export { consensus } from "./consensus.ts";
export { isDenialLoop } from "./round-time.ts";
export {
  candidates,
  isVotingDeferred,
  pendingAnswers,
  allowedTurn,
  tally,
  winningAnswer,
  workflowTools,
  type AllowedTurn,
} from "./allowed-turn.ts";
export { CONSENSUS_EVENTS as EVENT_TYPES } from "./events.ts";
