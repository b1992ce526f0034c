export { BEHAVIOR_ACTIONS, type BehaviorAction, type BehaviorActionName } from "./action.ts";
export { CONTROL_FILE_LIMIT, parseControlFile, type ControlFileOptions } from "./control-file.ts";
export { COMPAT_MODES, type Compat } from "./compat.ts";
export { EVALUATORS, evaluateBehavior, type Evaluation, type EvaluatorName } from "./evaluate.ts";
export { riskBand, radiumKeywords, type RiskScore, type RiskScorer } from "./risk.ts";
