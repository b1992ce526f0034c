export { readProgram } from "./read-program.ts";
