export { conclude, openConsensus, selectWinner, showAnswers, type Conclusion } from "./conclude.ts";
export { consensus } from "./consensus.ts";
export { isDenialLoop } from "./round-time.ts";
export { candidates, isVotingDeferred, pendingAnswers, standingOf, tally, winnerIn, workflowTools, type Standing } from "./standing.ts";
