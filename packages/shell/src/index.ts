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
  readOptions,
  respell,
  type CommandOperand,
  type CommandOption,
  type CommandOptions,
  type Respelling,
  type RespellingKind,
} from "./programs/index.ts";
