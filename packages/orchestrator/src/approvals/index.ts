export {
  checkAnswerable,
  recordAnswer,
  refuseAgents,
  rolesOf,
  waiversOf,
  type Answer,
  type AnswerSource,
  type Answerer,
} from "./answers.ts";
export { type AskedCall, type CallState, type OpenCall } from "./calls.ts";
export { configuredContract } from "../config/configured-contract.ts";
export { gatesOf, type GateFunctions, type ProjectGates } from "./gates.ts";
export {
  hasOperators,
  operatorOf,
  operatorsFile,
  readOperators,
  type Operator,
} from "./operators.ts";
export { openQuestion, type OpenQuestion } from "./question-list.ts";
export {
  createQuestions,
  type CallQuestion,
  type GateQuestion,
  type OpenId,
  type Question,
  type QuestionFold,
  type QuestionSource,
  type QuestionTime,
  type StopQuestion,
  type WaitingGate,
} from "./questions.ts";
export { noOpenQuestion, unanswerable, unauthorized } from "./answers.ts";
