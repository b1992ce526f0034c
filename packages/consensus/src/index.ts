export {
  TIME_OVER,
  consensusState,
  type Answer,
  type Consensus,
  type ConsensusTerms,
  type Vote,
} from "./consensus.ts";
export {
  agentNamed,
  aliasOf,
  defersVoting,
  deniedCalls,
  isOut,
  isTimeOver,
  labelOf,
  unseenBy,
} from "./facts.ts";
export type { Terminal } from "./terminal.ts";
