export { isProgram, readProgram } from "./read-program.ts";
export {
  flagPositions,
  operandAfterOptions,
  readOptions,
  type CommandOperand,
  type CommandOption,
  type CommandOptions,
} from "./read-options.ts";
export { otherFirstWords } from "./subcommand-aliases.ts";
export { otherPrograms } from "./synonyms.ts";
export { equivalentCommands, type EquivalentCommand, type EquivalenceKind } from "./equivalents.ts";
export { namedEffects, type NamedEffects } from "./named-effects.ts";
export { isNamedOption, printsAnyWords } from "./word-text.ts";
