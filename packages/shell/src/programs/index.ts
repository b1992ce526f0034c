export { isProgram, readProgram } from "./read-program.ts";
export { readOptions, type CommandOperand, type CommandOption, type CommandOptions } from "./read-options.ts";
export { otherFirstWords } from "./first-words.ts";
export { otherPrograms } from "./same.ts";
export { respell, type Respelling, type RespellingKind } from "./respell.ts";
