export { claudeCode } from "./claude-code.ts";
export { droid, qwenCode } from "./variants.ts";
