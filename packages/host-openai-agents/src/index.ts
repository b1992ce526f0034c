export { guardTools, type GuardOptions, type GuardedTools } from "./guard-tools.ts";
