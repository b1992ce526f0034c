export {
  guardMiddleware,
  type ApprovalInterrupt,
  type ApprovalResume,
  type GuardOptions,
} from "./guard-middleware.ts";
