export { type ApprovalInterrupt, type ApprovalResume } from "./approval.ts";
export { guardMiddleware, type GuardOptions } from "./guard-middleware.ts";
