export { analyze } from "./analyze.ts";
export type {
  Analysis,
  Assignment,
  Effect,
  Hazard,
  Origin,
  PathText,
  Piece,
  Redirection,
  ShellCommand,
  Unknown,
  Word,
} from "./analysis.ts";
export { UNKNOWN_CODES, type UnknownCode } from "./unknown-code.ts";
export {
  otherFirstWords,
  otherPrograms,
  operandAfterOptions,
  readOptions,
  equivalentCommands,
  type CommandOperand,
  type CommandOption,
  type CommandOptions,
  type EquivalentCommand,
  type EquivalenceKind,
} from "./programs/index.ts";
