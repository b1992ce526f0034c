export { claudeCode } from "./claude-code.ts";
