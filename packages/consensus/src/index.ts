export {
  TIME_OVER,
  consensusState,
  type Answer,
  type Consensus,
  type ConsensusTerms,
  type Vote,
} from "./consensus.ts";
export {
  agentByName,
  aliasOf,
  defersVoting,
  deniedCalls,
  hasLeft,
  isTimeOver,
  labelOf,
  unseenAnswers,
} from "./facts.ts";
export type { TurnEnd } from "./turn-end.ts";
