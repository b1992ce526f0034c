export {
  guardFunctions,
  type GuardOptions,
  type GuardedFunctions,
  type Question,
  type ToolFunctions,
  type ToolUse,
  type ToolOutput,
} from "./guard-functions.ts";
export { guardRunnable } from "./guard-runnable.ts";
