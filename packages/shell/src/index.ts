export { analyze, type AnalyzeOptions } from "./analyze.ts";
export type {
  Analysis,
  Assignment,
  Effect,
  FoundFiles,
  Hazard,
  Origin,
  PathText,
  Piece,
  Redirection,
  ShellCommand,
  Unknown,
  Word,
} from "./analysis.ts";
export { countEqual } from "./equal-commands.ts";
export { EFFECT_NAMES, type EffectName } from "./effect-names.ts";
export { UNKNOWN_CODES, type UnknownCode } from "./unknown-code.ts";
export {
  isNamedOption,
  printsAnyWords,
  otherFirstWords,
  otherPrograms,
  flagPositions,
  operandAfterOptions,
  readOptions,
  equivalentCommands,
  namedEffects,
  type CommandOperand,
  type CommandOption,
  type CommandOptions,
  type EquivalentCommand,
  type EquivalenceKind,
  type NamedEffects,
} from "./programs/index.ts";
export { isOrdinary, isSetByShell } from "./expand/variables.ts";
