export {
  guardTools,
  type ApprovalSuspension,
  type GuardOptions,
  type GuardedTools,
} from "./guard-tools.ts";
