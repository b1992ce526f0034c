export {
  guardTools,
  type FinishedResponse,
  type GuardOptions,
  type GuardedTools,
} from "./guard-tools.ts";
